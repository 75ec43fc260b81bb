import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readSources, type Source } from './imports.ts'
import { readRooms } from './rooms.ts'
import {
  checkAgentWords,
  checkCycles,
  checkForm,
  checkLayers,
  checkNames,
  checkPermissions,
  checkProcesses,
  checkPurity,
  checkRooms,
  checkShells,
  checkWorkTable,
} from './rules.ts'

const folder = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const sources = readSources(folder('src'))
const rooms = readRooms(readFileSync(folder('src/README.md'), 'utf8'))
const sample = (path: string, text: string): Source => ({ path, text })

describe('the sources', () => {
  test('are there to be looked at', () => {
    expect(sources.length).toBeGreaterThan(20)
  })
  test('import only what src/README.md lets their room', () =>
    expect(checkLayers(sources, rooms)).toEqual([]))
  test('use every permission of src/README.md', () =>
    expect(checkPermissions(sources, rooms)).toEqual([]))
  test('stand in rooms with a first file and at most 20 files', () =>
    expect(checkRooms(sources, rooms)).toEqual([]))
  test('have a pure core', () => expect(checkPurity(sources)).toEqual([]))
  test('start processes only in the runner', () => expect(checkProcesses(sources)).toEqual([]))
  test('S11 start no process through a shell', () => expect(checkShells(sources)).toEqual([]))
  test('leave the table of the engine to the verbs for its work', () =>
    expect(checkWorkTable(sources)).toEqual([]))
  test('A-1 know the words of one agent only in its adapter', () =>
    expect(checkAgentWords(sources)).toEqual([]))
  test('have no import cycles', () => expect(checkCycles(sources)).toEqual([]))
  test('keep the form', () => expect(checkForm(sources)).toEqual([]))
  test('give each exported name one meaning', () => expect(checkNames(sources)).toEqual([]))
  test('of tests and scripts keep the form too', () => {
    const others = [...readSources(folder('test')), ...readSources(folder('scripts'))]
    expect(checkForm(others)).toEqual([])
  })
})

describe('the checks can fail', () => {
  test.each([
    ["import { a } from '../store/sqlite/sqlite.ts'", 'core/a.ts'],
    ["import type { A } from '../flows/dependencies.ts'", 'core/a.ts'],
    ["export { a } from '../runner/a.ts'", 'adapters/a.ts'],
    ["import {\n  a,\n  // why\n  b,\n} from '../runner/a.ts'", 'adapters/a.ts'],
    ["const a = await import('../flows/a.ts')", 'store/a.ts'],
    ["type A = import('../flows/a.ts').A", 'store/a.ts'],
    ["import '../cli/main.ts'", 'flows/a.ts'],
    ["import { claudeCode } from '../adapters/claude-code/adapter.ts'", 'flows/a.ts'],
    ["import { a } from './b.ts'", 'novelty/a.ts'],
  ])('layers: %j in %s', (text, path) => {
    expect(checkLayers([sample(path, text)], rooms)).toHaveLength(1)
  })

  test('rooms: a permission without use, a full room, a first file that is not there', () => {
    const table = readRooms('| `core` | `a.ts` | x | `errors.ts` |\n| `core/run` | `b.ts` | y | |')
    const files = Array.from({ length: 21 }, (_, index) => sample(`core/run/${index}.ts`, ''))
    expect(checkPermissions([], table)).toEqual([
      'core may import errors.ts, and nobody there does',
    ])
    expect(checkRooms([sample('core/a.ts', ''), ...files], table)).toEqual([
      'core/run holds 21 files',
      'core/run has no first file b.ts',
    ])
  })

  test('layers: what is granted passes', () => {
    const text = "import { RepriseError } from '../errors.ts'\nimport { b } from './b.ts'\n"
    expect(checkLayers([sample('flows/a.ts', text)], rooms)).toEqual([])
    const test = sample('core/a.test.ts', "import { x } from '../store/sqlite.ts'")
    expect(checkLayers([test], rooms)).toEqual([])
  })

  test.each([
    "import { readFileSync } from 'node:fs'",
    "import { z } from 'zod'",
    "import { createHash } from 'node:crypto'",
    "const { createHash } = process.getBuiltinModule('node:crypto')",
    'const now = Date.now()',
    'const now = new Date()',
    'const id = Math.random()',
    'const home = process.env.HOME',
    'export async function a() {}',
    'setTimeout(a, 1)',
  ])('purity: %j', text => {
    expect(checkPurity([sample('core/a.ts', text)])).toHaveLength(1)
    expect(checkPurity([sample('flows/a.ts', text)])).toEqual([])
  })

  test('purity: only core/hash-text.ts may import node:crypto, and nothing else, and no chance', () => {
    const hashing = "import { hash } from 'node:crypto'"
    expect(checkPurity([sample('core/hash-text.ts', hashing)])).toEqual([])
    expect(checkPurity([sample('core/run/hash-text.ts', hashing)])).toHaveLength(1)
    for (const text of [
      "import { readFileSync } from 'node:fs'",
      "import { randomUUID } from 'node:crypto'",
    ]) {
      expect(checkPurity([sample('core/hash-text.ts', text)])).toHaveLength(1)
    }
  })

  test('purity: words in comments and in strings, and dates from a number pass', () => {
    const text = [
      "// await Date.now() 'quoted",
      "const words = 'process.exit and await'",
      'const day = new Date(ms)',
    ].join('\n')
    expect(checkPurity([sample('core/a.ts', text)])).toEqual([])
  })

  test('processes: only where they may start', () => {
    const text = "import { spawn } from 'node:child_process'"
    expect(checkProcesses([sample('flows/a.ts', text)])).toHaveLength(1)
    expect(checkProcesses([sample('cli/open.ts', text)])).toHaveLength(1)
    expect(checkProcesses([sample('runner/start.ts', text)])).toEqual([])
  })

  test('shells: a line of text, and a process with a shell', () => {
    const found = (text: string) => checkShells([sample('runner/a.ts', text)])
    expect(found("import { exec } from 'node:child_process'")).toHaveLength(1)
    expect(found("import { spawn, execSync } from 'child_process'")).toHaveLength(1)
    expect(found('spawn(file, args, { shell: true })')).toHaveLength(1)
    expect(found("spawn(file, args, { shell: '/bin/sh' })")).toHaveLength(1)
    const fine = "import { execFile, spawn } from 'node:child_process'"
    expect(found(`${fine}\nspawn(file, args, { shell: false })`)).toEqual([])
  })

  test('work: a verb for jobs that reads the table of the engine, or imports its verbs', () => {
    const found = (text: string) => checkWorkTable([sample('store/verbs/work/jobs.ts', text)])
    expect(found('sql`select 1 from dispatches`')).toHaveLength(1)
    expect(found("import { enqueue } from './dispatches.ts'")).toHaveLength(1)
    expect(found('/** Dispatches open jobs. */ engine.dispatch(work)')).toEqual([])
    expect(checkWorkTable([sample('store/sql-store.ts', "'./verbs/work/dispatches.ts'")])).toEqual(
      [],
    )
  })

  test('words: of one agent in another place, but not in its adapter and not in a comment', () => {
    const found = (path: string, text: string) => checkAgentWords([sample(path, text)])
    expect(found('flows/a.ts', "if (reason === 'tool_deferred') stop()")).toEqual([
      'flows/a.ts knows tool_deferred of claude-code',
    ])
    expect(found('core/a.ts', "tool === 'Bash'")).toHaveLength(1)
    expect(found('adapters/claude-code/a.ts', "'workspace-write'")).toHaveLength(1)
    expect(found('adapters/codex/a.ts', "'workspace-write'")).toEqual([])
    for (const word of [
      ...['"Bash"', '`Bash(ls:*)`', "'Task'", "'end_turn'", "'tool_use'", "'.claude/projects'"],
      ...["'all-tools'", 'env.PI_CODING_AGENT_DIR', "'.pi/agent'", "'agent_settled'", "'.codex/x'"],
      ...["'session/load'", "'allow-edits'", 'env.GEMINI_API_KEY', 'env.OPENCODE_CONFIG_CONTENT'],
      ...["agent.name === 'opencode'", 'case "gemini":', "name !== 'pi'"],
    ]) {
      expect([word, found('flows/a.ts', word).length]).toEqual([word, 1])
    }
    expect(found('adapters/acp/a.ts', "'session/load' 'end_turn' OPENCODE_CONFIG")).toEqual([])
    expect(found('adapters/pi/a.ts', "'session/load'")).toHaveLength(1)
    expect(found('core/a.ts', '/** Such as `Bash(ls:*)`. */\n// acceptEdits\n')).toEqual([])
  })

  test('cycles: also over three files and by type', () => {
    const ring = [
      sample('core/a.ts', "import { b } from './b.ts'"),
      sample('core/b.ts', "import type { C } from './c.ts'"),
      sample('core/c.ts', "import { a } from './a.ts'"),
    ]
    expect(checkCycles(ring)).toEqual([
      'import cycle: core/a.ts → core/b.ts → core/c.ts → core/a.ts',
    ])
    expect(checkCycles(ring.slice(0, 2))).toEqual([])
  })

  test('names: a name that two files export; overloads, locals and re-exports pass', () => {
    const files = [
      sample('core/a.ts', 'export type View = 1\nexport async function* read() {}\n'),
      sample('core/b.ts', 'type View = 2\nexport const read = 1\n'),
      sample('core/c.ts', "export { read, type View } from './a.ts'\n"),
      sample('core/d.ts', 'export function one(a: 1): 1\nexport function one(a: 2): 2\n'),
      sample('core/e.test.ts', 'export class View {}\n'),
    ]
    expect(checkNames(files)).toEqual(['read is declared in core/a.ts and core/b.ts'])
    const agents = ['adapters/a/a.ts', 'adapters/b/a.ts'].map(path =>
      sample(path, files[1]?.text ?? ''),
    )
    expect(checkNames(agents)).toEqual([])
    expect(checkNames([...agents, ...files.slice(1, 2)])).toHaveLength(1)
  })

  test.each([
    ['core/a.ts', `// what\n${'x\n'.repeat(400)}`, 'lines'],
    ['core/a.ts', '// what\nexport default 1\n', 'default export'],
    ['core/string-utils.ts', '// what\n', 'name'],
    ['store/helpers/a.ts', '// what\n', 'name'],
    ['core/a.ts', "import 'x'\n", 'first line'],
  ])('form: %s with %j', (path, text, what) => {
    expect(checkForm([sample(path, text)])).toEqual([expect.stringContaining(what)])
  })
})
