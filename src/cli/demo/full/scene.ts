// A scene of the full demo: something that happened at a time before the present.
import type { StoryWorld } from './story-world.ts'

export type Scene = {
  /** Before the present, such as `3d 4h 20m`. */
  readonly ago: string
  play(world: StoryWorld): Promise<void>
}

const UNITS_MS: Readonly<Record<string, number>> = {
  d: 24 * 3_600_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
}

function agoMs(ago: string): number {
  return ago.split(' ').reduce((sum, part) => sum + Number(part.slice(0, -1)) * unitOf(part), 0)
}

function unitOf(part: string): number {
  return UNITS_MS[part.slice(-1)] ?? Number.NaN
}

/** Plays all scenes in the order of their times. */
export async function playScenes(world: StoryWorld, scenes: readonly Scene[]): Promise<void> {
  const inOrder = scenes.toSorted((left, right) => agoMs(right.ago) - agoMs(left.ago))
  for (const scene of inOrder) {
    world.clock.moveTo(world.now - agoMs(scene.ago))
    await scene.play(world)
  }
}
