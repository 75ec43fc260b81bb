// A daemon over an agent of any kind, new for each test of a `describe`, with the model behind it.
import { afterEach, beforeEach } from 'vitest'
import { type DaemonProcess, ServeWorld } from '../../e2e/daemon/serve-world.ts'
import { fakeModel, type Model, realModel } from './model.ts'
import { isReal, type Kind, ProgramDirectory } from './program.ts'

export type DaemonWorld = {
  readonly world: ServeWorld
  readonly model: Model
  /** The one that serves now. */
  daemon: DaemonProcess
}

/** The model tells runs apart by a variable of their processes, so each run has a process of its own. */
const KEEPS_NOTHING = { warm: { max: 0 } }

export function useDaemon(kind: Kind, more: object = KEEPS_NOTHING): () => DaemonWorld {
  let current: DaemonWorld
  beforeEach(async () => {
    const world = (await new ServeWorld().open()) as ServeWorld
    const model = isReal(kind) ? await realModel(world.root) : fakeModel(world.root, null)
    const executable = await new ProgramDirectory(world.root, kind).path('usual')
    // Not the data directory of Reprise, which a sandbox hides.
    const env = { ...model.env, HOME: world.root, CLAUDE_CONFIG_DIR: world.path('agent') }
    world.writeConfig(JSON.stringify({ agents: { 'claude-code': { executable, env } }, ...more }))
    current = { world, model, daemon: await world.serve() }
  })
  afterEach(async () => {
    await current.world.closeAll()
    await current.model.close()
  })
  return () => current
}
