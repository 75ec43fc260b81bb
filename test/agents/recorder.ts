// Writes what a real agent printed to test/recordings/<agent>/<version>/, scrubbed, with a list of all cases beside it.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ModelApi, startModelApi } from '../../src/testing/index.ts'
import type { ProcessEnd } from './agent-process.ts'
import type { AgentPlace, AgentProgram } from './agent-programs.ts'
import { createScrubber, scrubLine, scrubValue } from './scrub.ts'

/** What stands in `cases.json` about one recording. */
export type RecordedCase = {
  /** What was passed to the program. */
  readonly args: readonly string[]
  readonly prompt?: string
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null
  readonly stderr?: string
  /** What the model was asked in the last request of the case: texts, calls and results, without the agent's own notes. */
  readonly asked?: readonly string[]
}

export type Recorder = {
  readonly program: AgentProgram
  readonly api: ModelApi
  readonly place: AgentPlace
  readonly cwd: string
  readonly root: string
  keep(
    name: string,
    lines: readonly string[],
    about: Omit<RecordedCase, 'exit'> & { end: ProcessEnd | null },
  ): void
  /** A file of the agent's own, such as its session. */
  keepFile(name: string, text: string): void
  finish(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export async function createRecorder(program: AgentProgram): Promise<Recorder> {
  const api = await startModelApi()
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'record-')))
  const place = { apiUrl: api.url, home: join(root, 'home'), temporary: join(root, 'tmp') }
  const cwd = join(root, 'work')
  mkdirSync(cwd)
  const folder = join(ROOT, 'test/recordings', program.name, program.version)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const dashed = (path: string) => path.replaceAll('/', '-')
  const scrub = createScrubber({
    [root]: '/world',
    [dashed(root)]: '-world',
    [ROOT.replace(/\/$/, '')]: '/reprise',
    [process.execPath]: '/bin/node',
  })
  const cases: Record<string, RecordedCase> = {}
  return {
    program,
    api,
    place,
    cwd,
    root,
    keep(name, lines, { end, ...about }) {
      const text = lines.map(line => `${scrubLine(line, scrub)}\n`).join('')
      writeFileSync(join(folder, `${name}.jsonl`), text)
      const exit = end && { code: end.code, signal: end.signal }
      const stderr = end && end.stderr !== '' ? { stderr: end.stderr.slice(-2000) } : {}
      const { args, asked = [], ...rest } = about
      const texts = (all: readonly string[]) => all.map(text => String(scrubValue(text, scrub)))
      cases[name] = {
        args: texts(args),
        ...(scrubValue({ ...rest, ...stderr }, scrub) as object),
        exit,
        asked: texts(asked),
      }
    },
    keepFile: (name, text) =>
      writeFileSync(
        join(folder, name),
        text
          .split('\n')
          .filter(Boolean)
          .map(line => `${scrubLine(line, scrub)}\n`)
          .join(''),
      ),
    async finish() {
      writeFileSync(join(folder, 'cases.json'), `${JSON.stringify(cases, null, 2)}\n`)
      await api.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
