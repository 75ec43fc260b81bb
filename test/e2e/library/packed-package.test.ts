// The packed package in an empty project: strict TypeScript compiles against it, and it runs on the Nodes that it names.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  INSTALL_LIMIT_MS,
  installedIn,
  installGlobally,
  installInto,
  manifestOf,
  pack,
  ROOT,
} from './packed-package.ts'

const OTHER_NODES = join(ROOT, 'test/other-nodes/node_modules')
const nodeOf = (major: 20 | 22) => join(OTHER_NODES, `node-${major}-${process.arch}`, 'bin/node')
const TYPESCRIPT_5 = join(ROOT, 'test/generated-client/node_modules/typescript/bin/tsc')
const TYPESCRIPT_7 = join(ROOT, 'node_modules/typescript/bin/tsc')

/** A program as a user writes it: values that may be missing go in, and every kind of event comes out. */
const PROGRAM = `
import { claudeCode, connectReprise, createReprise, executeQuery, RepriseError, sqlite } from 'reprise'
import type {
  Answer, Chain, ChainStatus, Explanation, Job, JobStatus, PermissionMode, Preview, Question, Reprise, Run, RunEvent,
  RunStatus, Thread, TurnOptions, TurnResult,
} from 'reprise'
import { fakeAgentExecutable, startModelApi, writeFakeScript } from 'reprise/testing'

const maybe: string | undefined = process.env['NOT_SET']
const directory = process.argv[2] ?? '.'
const executable = await fakeAgentExecutable(directory)
const reprise: Reprise = createReprise({
  store: sqlite(directory + '/reprise.db'),
  agents: [claudeCode({ executable, model: maybe, permissionMode: undefined })],
  dataDir: directory + '/data',
  environment: { ...process.env, CLAUDE_CONFIG_DIR: directory + '/agent' },
  defaultAgent: maybe,
})
const thread: Thread = await reprise.threads.create({ workDir: process.cwd(), agent: maybe, title: maybe })
const mode: PermissionMode = 'acceptEdits'
const options: TurnOptions = { model: maybe, permissionMode: mode, freshSession: undefined, signal: undefined }
const seen: RunEvent['type'][] = []
for await (const event of thread.send('hello', options)) seen.push(event.type)
const { run, text }: TurnResult = await thread.send('again', { instructions: maybe }).result
const status: RunStatus = run.status
const preview: Preview = await thread.preview({ prompt: maybe })
const jobs: readonly Job[] = await reprise.jobs.list({ status: undefined })
export type Met = Answer | Chain | ChainStatus | Explanation | JobStatus | Question | Run
export const unused = [connectReprise, executeQuery, RepriseError, startModelApi, writeFakeScript, preview, jobs]
console.log(JSON.stringify({ status, text, action: run.decision?.action, ended: seen.at(-1) }))
await reprise.close()
`

const STRICT = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  target: 'es2022',
  types: ['node'],
}
const NODENEXT = { module: 'nodenext' }
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }

let packed: string
let project: string
let modules: string
let said: string

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reprise packed '))
  packed = pack(directory)
  project = join(directory, 'my project')
  said = await installInto(project, packed)
  modules = join(project, 'node_modules')
  writeFileSync(join(project, 'program.ts'), PROGRAM)
}, INSTALL_LIMIT_MS)
afterAll(() => rmSync(join(project, '..'), { recursive: true, force: true }))

test('U-1 installing the package changes nothing else in a project: no `node`, no script of ours, no compiler', () => {
  const { scripts, optionalDependencies, engines } = manifestOf(modules)
  expect(optionalDependencies).toBeUndefined()
  expect(HOOKS.filter(name => name in scripts)).toEqual([])
  // npm names packages whose scripts nobody has allowed yet.
  expect(said).not.toContain('reprise@')
  expect(engines).toEqual({ node: '>=22.18' })
  const installed = installedIn(project)
  expect(installed).toContain('node_modules/better-sqlite3')
  const bringsNode = installed.filter(place => existsSync(join(project, place, 'bin/node')))
  expect(bringsNode).toEqual([])
  expect(installed).not.toContain('node_modules/typescript')
  expect(existsSync(join(modules, '.bin/node'))).toBe(false)
})

/** Scripts that npm runs, or asks about, when a package is installed. */
const HOOKS = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare']

test.each([
  ['Node 22.18', nodeOf(22)],
  ['Node 24', process.execPath],
])('U-1 the command of a project prints its version on %s', (_, node) => {
  expect(versionOf(join(modules, '.bin/reprise'), node)).toBe(manifestOf(modules).version)
})

test(
  'U-1 the command in the README puts `reprise` on the PATH',
  async () => {
    const command = `npm install -g ./${basename(packed)} `
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(command)
    const prefix = join(project, '..', 'global')
    await installGlobally(prefix, packed)
    expect(versionOf(join(prefix, 'bin/reprise'), nodeOf(22))).toBe(manifestOf(modules).version)
  },
  INSTALL_LIMIT_MS,
)

function versionOf(command: string, node: string): string {
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: project }
  const { status, stdout, stderr } = spawnSync(command, ['--version'], { env, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trim()
}

test.each([
  // It takes ten seconds of CPU time, so that the storms run it.
  ...(process.env.REPRISE_STORM === '1'
    ? [['TypeScript 5, nodenext', TYPESCRIPT_5, NODENEXT] as const]
    : []),
  ['TypeScript 7, nodenext', TYPESCRIPT_7, NODENEXT] as const,
  ['TypeScript 7, bundler', TYPESCRIPT_7, BUNDLER] as const,
])(
  'U-1 a strict program compiles against the types of the package (%s)',
  (_, compiler, resolution) => {
    const settings = join(project, 'tsconfig.json')
    const typeRoots = [join(ROOT, 'node_modules/@types')]
    const places = { typeRoots, outDir: join(project, 'built'), rootDir: project }
    const compilerOptions = { ...STRICT, ...resolution, ...places }
    writeFileSync(settings, JSON.stringify({ compilerOptions, files: ['program.ts'] }))
    const compile = [compiler, '-p', settings]
    const { stdout, status } = spawnSync(process.execPath, compile, { encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  },
)

const ran = (node: string) => {
  const directory = mkdtempSync(join(project, '..', 'run '))
  const { stdout, stderr, status } = spawnSync(
    node,
    [join(project, 'built/program.js'), directory],
    {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: directory },
    },
  )
  return { status, stdout, stderr }
}

test.each([
  ['Node 22.18', nodeOf(22)],
  ['Node 24', process.execPath],
])('U-1 the program runs two turns on %s', (_, node) => {
  const { status, stdout, stderr } = ran(node)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    status: 'completed',
    text: 'echo: again',
    action: 'resume',
    ended: 'ended',
  })
})

test('U-4 on Node 20 the library says which Node it needs, instead of ending without a word', () => {
  const { status, stderr } = ran(nodeOf(20))
  expect(status).toBe(1)
  expect(stderr).toContain('RepriseError: reprise needs Node 22.18 or newer; this is 20.20.2')
  expect(stderr).toContain("hint: 'Install Node 22.18 or newer")
})
