import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkConfig } from './check-config.ts'
import { explainConfig } from './origins.ts'

let home: string
let cwd: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-origins-')))
  cwd = join(home, 'project')
  mkdirSync(cwd)
})
afterEach(() => rmSync(home, { recursive: true }))

const user = (text: string) => writeFileSync(join(home, 'config.yaml'), text)
const project = (text: string) => writeFileSync(join(cwd, 'reprise.yaml'), text)

async function setting(key: string, env: Readonly<Record<string, string>> = {}) {
  const all = await explainConfig({ env: { REPRISE_HOME: home, ...env }, cwd })
  return all.find(one => one.key === key)
}

test('a setting of each layer names its file and line, or its variable', async () => {
  user(
    'defaultAgent: second\nagents:\n  second:\n    model: opus\n    trust: user\nmaxRunning: 3\n',
  )
  project('resume:\n  contextThreshold: 0.5\nagents: { second: { model: haiku } }\n')
  const file = join(home, 'config.yaml')
  expect(await setting('defaultAgent')).toMatchObject({ from: 'user', where: `${file}:1` })
  expect(await setting('agents.second.trust')).toMatchObject({ from: 'user', where: `${file}:5` })
  expect(await setting('maxRunning')).toMatchObject({ value: 3, from: 'user' })
  const inProject = join(cwd, 'reprise.yaml')
  expect(await setting('agents.second.model')).toEqual({
    key: 'agents.second.model',
    value: 'haiku',
    from: 'project',
    where: `${inProject}:3`,
  })
  expect(await setting('resume.contextThreshold')).toMatchObject({ value: 0.5, from: 'project' })
  const env = { REPRISE_RESUME_CONTEXT_THRESHOLD: '0.9', REPRISE_LOG_LEVEL: 'debug' }
  expect(await setting('resume.contextThreshold', env)).toMatchObject({
    value: 0.9,
    from: 'env',
    where: 'REPRISE_RESUME_CONTEXT_THRESHOLD',
  })
  expect(await setting('daemon.logLevel', env)).toMatchObject({ value: 'debug', from: 'env' })
  expect(await setting('resume.mode')).toEqual({
    key: 'resume.mode',
    value: 'auto',
    from: 'default',
    where: null,
  })
  expect(await setting('home')).toMatchObject({ value: home, from: 'env', where: 'REPRISE_HOME' })
})

test('a policy of the user stays when the project has one of the same name', async () => {
  user('policies: { ops: ./mine.yaml }\n')
  project('policies: { ops: ./theirs.yaml, other: ./other.yaml }\n')
  expect(await setting('policies.ops')).toMatchObject({
    value: join(home, 'mine.yaml'),
    from: 'user',
  })
  expect(await setting('policies.other')).toMatchObject({ from: 'project' })
})

test('values of an agent’s environment are not shown', async () => {
  user('agents: { claude-code: { env: { ANTHROPIC_API_KEY: sk-secret } } }\n')
  const all = await explainConfig({ env: { REPRISE_HOME: home }, cwd })
  expect(JSON.stringify(all)).not.toContain('sk-secret')
  expect(await setting('agents.claude-code.env.ANTHROPIC_API_KEY')).toMatchObject({ from: 'user' })
})

test('the database is shown without its password, with where it was set', async () => {
  expect(await setting('database')).toMatchObject({
    value: join(home, 'reprise.db'),
    from: 'default',
  })
  user('database: postgres://u:planted@host/db?password=planted\n')
  expect(await setting('database')).toMatchObject({
    value: 'postgres://u@host/db',
    from: 'user',
    where: `${join(home, 'config.yaml')}:1`,
  })
  const env = { REPRISE_HOME: home, REPRISE_DATABASE_URL: 'postgres://u:planted@other/db' }
  const all = await explainConfig({ env, cwd })
  expect(all.find(({ key }) => key === 'database')).toEqual({
    key: 'database',
    value: 'postgres://u@other/db',
    from: 'env',
    where: 'REPRISE_DATABASE_URL',
  })
  expect(JSON.stringify(all)).not.toContain('planted')
})

const ALL_WELL = { agent: () => null, policy: () => null }

test('a check names file, line and key of every fault, not only of the first', async () => {
  user('resume:\n  mod: auto\n  contextThreshold: 7\ndaemon:\n  logLevel: noisy\n')
  project('agents: { claude-code: { executable: evil } }\n')
  const { problems } = await checkConfig({ env: { REPRISE_HOME: home }, cwd }, ALL_WELL)
  const file = join(home, 'config.yaml')
  expect(problems).toMatchObject([
    { file, line: 2, key: 'resume.mod', hint: 'Did you mean `mode`?' },
    { file, line: 3, key: 'resume.contextThreshold' },
    { file, line: 5, key: 'daemon.logLevel' },
    { file: join(cwd, 'reprise.yaml'), line: 1, key: 'agents.claude-code.executable' },
  ])
})

test.each([
  ['defaultAgent: nobody\n', 'defaultAgent is `nobody`'],
  ['policies: { ops: ./missing.yaml }\n', 'there is no policy file'],
])('a check sees what is wrong beyond one line: %s', async (text, words) => {
  user(text)
  const { problems } = await checkConfig({ env: { REPRISE_HOME: home }, cwd }, ALL_WELL)
  expect(problems).toMatchObject([{ message: expect.stringContaining(words) }])
})
