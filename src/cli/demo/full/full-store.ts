// Makes the rich store of `reprise demo --full` and serves it, for looking around, for screenshots and for tests.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalReprise } from '../../../api.ts'
import { VERSION } from '../../../core/version.ts'
import { startDaemon } from '../../../daemon/server.ts'
import type { Io } from '../../start/io.ts'
import { CHAIN_SCENES } from '../stories/chain-scenes.ts'
import { JOB_SCENES } from '../stories/job-scenes.ts'
import { beginLive } from '../stories/live-scenes.ts'
import { liveScript, openedMark } from '../stories/live-script.ts'
import { createShop } from '../stories/shop-repository.ts'
import { threadScenes } from '../stories/threads.ts'
import { playScenes } from './scene.ts'
import { createStoryWorld, type StoryWorld } from './story-world.ts'

export type FullStoreOptions = {
  /** Where the store is made; default: a temporary directory, which `close` removes. */
  readonly directory?: string
  /** 0 (default) takes a free port. */
  readonly port?: number
  /** What runs does not go on by itself, so that every picture is the same. */
  readonly still?: boolean
}

export type ServedStore = {
  /** The address of the dashboard. */
  readonly url: string
  /** Signs one browser in, once, within a minute. */
  readonly signInUrl: string
  /** Creates another address that signs one browser in. */
  invite(): string
  /** The data directory, for `REPRISE_HOME`. */
  readonly home: string
  /** The Reprise that the daemon serves. */
  readonly reprise: LocalReprise
  /** Stops the daemon, and removes the directory unless the caller named it. */
  close(): Promise<void>
}

/** Makes the store and serves it from this process. */
export async function serveFullStore(options: FullStoreOptions = {}): Promise<ServedStore> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'reprise-demo-')))
  const remove = async () => {
    if (options.directory !== undefined) return
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const world = await createStoryWorld(directory, quietIo(directory))
    await createShop(world.workDir('shop'))
    await makePast(world)
    await world.script(liveScript(world, { still: options.still ?? false }))
    const daemon = await startDaemon({
      home: world.home,
      host: '127.0.0.1',
      port: options.port ?? 0,
      logTo: 'file',
      version: VERSION,
      open: () => world.open({ workers: 2, serves: true }),
    })
    await beginLive(world)
    world.clock.joinRealTime()
    world.random.useRealChance()
    await writeFile(openedMark(world), '')
    return {
      url: daemon.url,
      signInUrl: daemon.invite(),
      invite: daemon.invite,
      home: world.home,
      reprise: world.reprise,
      close: () => daemon.stop().finally(remove),
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Everything that is over: conversations, chains and jobs of the last two weeks. */
async function makePast(world: StoryWorld): Promise<void> {
  world.open()
  try {
    await playScenes(world, [...threadScenes(), ...CHAIN_SCENES, ...JOB_SCENES])
  } finally {
    await world.reprise.close()
  }
}

/** Nothing of the story is printed, and nothing of it depends on the environment of the user. */
function quietIo(directory: string): Io {
  const nowhere = { write: () => {} }
  return {
    stdin: Object.assign((async function* () {})(), { isTTY: false }),
    isStdinPiped: () => false,
    stdout: nowhere,
    stderr: nowhere,
    env: { PATH: process.env.PATH },
    cwd: directory,
    onStopRequest: () => () => {},
    exitNow: () => {},
  }
}
