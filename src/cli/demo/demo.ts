// reprise demo: a tour with the built-in fake agent, or a rich store to look around in, in a temporary data directory.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { JsonFlag } from '../flags/flags.ts'
import type { Io } from '../start/io.ts'
import { printJson, printLine } from '../view/print.ts'
import { createStage } from './stage.ts'
import { tour } from './tour.ts'

export type DemoFlags = JsonFlag & {
  readonly full?: boolean
  readonly dataDir?: string
  /** False: the demo ends at once, also on a terminal. */
  readonly stay: boolean
}

export async function demo(io: Io, flags: DemoFlags): Promise<number> {
  return flags.full ? fullDemo(io, flags) : shortDemo(io, flags)
}

async function shortDemo(io: Io, flags: DemoFlags): Promise<number> {
  const stage = await createStage(io)
  const stopListening = io.onStopRequest(() => {
    void stage.remove().finally(() => io.exitNow(5))
  })
  try {
    const quiet: Io = { ...io, stdout: { write: () => {} } }
    const steps = await tour(flags.json ? quiet : io, stage)
    if (flags.json) printJson(io, { steps })
    if (stays(io, flags)) {
      // `reprise login --json` prints this shape.
      const { url } = (await stage.run(['login'])) as { readonly url: string }
      await enterAfter(io, url)
    }
    return 0
  } finally {
    stopListening()
    await stage.remove()
  }
}

async function fullDemo(io: Io, flags: DemoFlags): Promise<number> {
  const isKept = flags.dataDir !== undefined
  const directory = isKept
    ? resolve(io.cwd, flags.dataDir)
    : await mkdtemp(join(tmpdir(), 'reprise-demo-'))
  const remove = async () => {
    if (!isKept) await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
  let stop = remove
  const stopListening = io.onStopRequest(() => {
    void stop().finally(() => io.exitNow(5))
  })
  try {
    io.stderr.write('making two weeks of threads, chains and jobs …\n')
    const { serveFullStore } = await import('./full/full-store.ts')
    const served = await serveFullStore({ directory })
    stop = () => served.close().finally(remove)
    if (flags.json) printJson(io, { home: served.home })
    else if (isKept) printLine(io, `REPRISE_HOME=${served.home} reprise serve`)
    if (stays(io, flags)) await enterAfter(io, served.signInUrl)
    return 0
  } finally {
    stopListening()
    await stop()
  }
}

function stays(io: Io, { json, stay }: DemoFlags): boolean {
  return stay && !json && io.stdin.isTTY === true && io.stdout.isTTY === true
}

/** Resolves when the user presses Enter, or closes the input. */
async function enterAfter(io: Io, url: string): Promise<void> {
  printLine(
    io,
    `\nLook around in the dashboard (the address works once, within a minute):\n\n   ${url}\n`,
  )
  printLine(io, 'Enter ends the demo.')
  const input = io.stdin[Symbol.asyncIterator]()
  await input.next()
  await input.return?.()
}
