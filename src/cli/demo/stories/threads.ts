// The conversations of the full demo, each with something to see: how its turns continued, and why.
import type { Scene } from '../full/scene.ts'
import { type ThreadStory, tellThread } from '../full/tell-thread.ts'
import { LIVE_THREADS } from './live-threads.ts'
import { ASKING_THREADS } from './threads-asking.ts'
import { CHANGED_THREADS } from './threads-changed.ts'
import { LONG_THREADS } from './threads-long.ts'
import { LOST_SESSION_THREADS } from './threads-lost-sessions.ts'
import { SHORT_THREADS } from './threads-short.ts'

/** The scenes of all conversations, from their beginning. */
export function threadScenes(): readonly Scene[] {
  return STORIES.flatMap(tellThread)
}

const STORIES: readonly ThreadStory[] = [
  ...LONG_THREADS,
  ...SHORT_THREADS,
  ...CHANGED_THREADS,
  ...LOST_SESSION_THREADS,
  ...ASKING_THREADS,
  ...LIVE_THREADS,
]
