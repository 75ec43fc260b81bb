// Which program an agent is on this machine, and what is said when there is none.
import { expect, test } from 'vitest'
import { type ProcessOptions, processes } from '../../../test/simulated/processes.ts'
import { claudeCode } from '../../agents/claude-code.ts'
import { codex } from '../../agents/codex.ts'
import { memoryExecutable } from '../../testing/fake-runner.ts'

const env = { CLAUDE_CONFIG_DIR: '/config' }

async function open(options: ProcessOptions = {}) {
  const world = await processes()
  const { reprise } = world.open(options)
  return { world, reprise }
}

const named = (executable: string, PATH?: string): ProcessOptions => ({
  agents: [claudeCode({ executable, env })],
  environment: PATH === undefined ? {} : { PATH },
})

test('A-1 the report of an agent says which program it is, and what it can do', async () => {
  const { reprise } = await open()
  const [report] = await reprise.agents()
  expect(report).toMatchObject({
    name: 'claude-code',
    adapter: 'claude-code',
    executable: '/bin/agent',
    found: true,
    version: '2.1.325',
    abilities: { resume: true, fork: true },
    problem: null,
  })
  expect(report?.env).toBeDefined()
})

test('A-1 agents that Reprise knows are reported although no config names them, with how to get them', async () => {
  const knownAgents = [claudeCode(), codex()]
  const { world, reprise } = await open({ knownAgents, environment: { PATH: '/bin' } })
  const [own, known, ...others] = await reprise.agents()
  expect(own).toMatchObject({ name: 'claude-code', configured: true, found: true })
  expect(known).toMatchObject({
    name: 'codex',
    configured: false,
    found: false,
    install: 'npm install -g @openai/codex',
    hint: expect.stringContaining('npm install -g @openai/codex'),
  })
  expect(others).toEqual([])
  const refused = reprise.threads.create({ workDir: '/project', agent: 'codex' })
  await expect(refused).rejects.toMatchObject({ code: 'not-found' })
  await world.files.write('/bin/codex', memoryExecutable())
  const runner = world.runner as { probe: unknown }
  const help = '--json --skip-git-repo-check --sandbox\n  resume  Resume\n  fork  Fork\n'
  runner.probe = async () => ({ text: `codex-cli 0.169.0\n${help}`, outputCut: false })
  expect((await reprise.agents())[1]).toMatchObject({
    found: true,
    version: '0.169.0',
    abilities: { resume: true, fork: true, forkAtMessage: false },
    install: null,
    hint: 'To use it, add it to config.yaml: agents: { codex: { adapter: codex } }',
  })
})

test('C-7 the runtime of a run names its program, its version and its abilities', async () => {
  const { reprise } = await open()
  const thread = await reprise.threads.create({ workDir: '/project' })
  const { run } = await thread.send('hello').result
  expect(run.runtime).toMatch(/^\/bin\/agent 2\.1\.325 \(.*resume, .*fork.*\)$/)
})

test.each([
  ['the first directory of PATH that has it', '/no:relative:/bin:/other', '/bin/agent'],
  ['a later one', '/no:/other', '/other/agent'],
])(
  'S10 a program without a path is found in %s, never in a relative one',
  async (_, path, found) => {
    const world = await processes()
    for (const file of ['/other/agent', '/relative/agent'])
      await world.files.write(file, memoryExecutable())
    // As from a work dir in which somebody has put a program of that name.
    const realpath = async (path: string) =>
      path.startsWith('relative/') ? `/${path}` : world.files.realpath(path)
    const files = { ...world.files, realpath }
    const { reprise } = world.open({ ...named('agent', path), dependencies: { files } })
    expect((await reprise.agents())[0]).toMatchObject({ executable: found, found: true })
  },
)

const CHECK = 'Check agents.claude-code.executable in config.yaml.'
const INSTALL =
  'Install it (npm install -g @anthropic-ai/claude-code), put its directory on PATH, or set agents.claude-code.executable in config.yaml.'

test.each([
  ['/no/agent', '/bin', CHECK],
  ['/project', '/bin', CHECK],
  ['no-agent', '/bin', INSTALL],
  ['agent', undefined, INSTALL],
])('U-4 the program %s with PATH %s is not found', async (executable, path, hint) => {
  const { reprise } = await open(named(executable, path))
  const message = `agent "claude-code": its program "${executable}" was not found`
  expect((await reprise.agents())[0]).toMatchObject({
    executable,
    found: false,
    version: null,
    abilities: {},
    quirks: [],
    problem: message,
    hint,
  })
  const refused = reprise.threads.create({ workDir: '/project' })
  await expect(refused).rejects.toMatchObject({ code: 'agent-missing', message, hint })
})

test('U-4 a program that is no such agent is not usable, and the hint names the config', async () => {
  const { world, reprise } = await open()
  const runner = world.runner as { probe: unknown }
  runner.probe = async () => ({ text: 'hello world', outputCut: false })
  const refused = reprise.threads.create({ workDir: '/project' })
  await expect(refused).rejects.toMatchObject({
    code: 'agent-unusable',
    message: expect.stringMatching(/^agent "claude-code": \/bin\/agent is not usable: [^(]+$/),
    hint: 'Check agents.claude-code.executable (or agents.claude-code.command) and agents.claude-code.adapter in config.yaml.',
  })
})

test('U-4 an agent that no config names: the error names those that there are', async () => {
  const agents = ['one', 'two'].map(name => claudeCode({ name, executable: '/bin/agent', env }))
  const { reprise } = await open({ agents })
  const refused = reprise.threads.create({ workDir: '/project', agent: 'three' })
  await expect(refused).rejects.toMatchObject({
    code: 'not-found',
    message: 'there is no agent named "three"',
    hint: 'Known agents: one, two. Add others under "agents" in config.yaml.',
  })
})

test('D-3 a program that was replaced is probed anew, and its session is not resumed by another version', async () => {
  const { world, reprise } = await open()
  const thread = await reprise.threads.create({ workDir: '/project' })
  await thread.send('one').result
  await world.files.write('/bin/agent', memoryExecutable('2.1.197'))
  const { run } = await thread.send('two').result
  expect(run.runtime).toContain('/bin/agent 2.1.197 ')
})

test('a project chooses the model of its agents, and of no others', async () => {
  const projectSettings = async (workDir: string) => ({
    resume: {},
    models: workDir === '/project' ? { 'claude-code': 'opus' } : { other: 'opus' },
  })
  const { world, reprise } = await open({ projectSettings })
  await world.files.makeDirectory('/elsewhere')
  const modelIn = async (workDir: string, model?: string) => {
    const thread = await reprise.threads.create({ workDir })
    await thread.send('hello', { ...(model !== undefined && { model }) }).result
    const args = world.runner.journal.at(-1)?.args ?? []
    return args[args.indexOf('--model') + 1]
  }
  expect(await modelIn('/project')).toBe('opus')
  expect(await modelIn('/project', 'haiku')).toBe('haiku')
  expect(await modelIn('/elsewhere')).not.toBe('opus')
})
