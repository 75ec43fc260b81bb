// A tier that real opencode runs: it has the tools that the rules allow, asks before their calls, and no settings of the project take that away.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Chain, LocalReprise } from '../../src/api.ts'
import { acp, claudeCode, createReprise, type Policy, sqlite, type Tier } from '../../src/index.ts'
import {
  type ModelApi,
  realAgentEnv,
  requestTexts,
  type ScriptedReply,
  startModelApi,
  textReply,
  toolReply,
} from '../../src/testing/index.ts'
import { ACP_PROGRAMS, commandOf, environmentOf } from '../agents/agent-programs.ts'
import { NEWEST, quickAgent } from '../scenarios/harness/program.ts'

let root: string
let api: ModelApi
let reprise: LocalReprise
const project = (file = '') => join(root, 'project', file)

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tiers-')))
  mkdirSync(project())
  writeFileSync(join(root, 'outside.txt'), 'OUTSIDE')
  writeFileSync(project('note.txt'), 'NOTED')
  allowEverything()
  api = await startModelApi()
  const home = join(root, 'home')
  const place = { apiUrl: api.url, home, temporary: join(root, 'tmp') }
  const opencode = ACP_PROGRAMS.find(({ name }) => name === 'opencode')
  if (!opencode) throw new Error('opencode is known')
  const { PATH, ...env } = environmentOf(opencode, place)
  reprise = createReprise({
    store: sqlite(join(root, 'reprise.db')),
    dataDir: join(root, 'data'),
    agents: [
      claudeCode({
        executable: quickAgent(NEWEST),
        env: realAgentEnv({ api, home }),
        model: 'claude-sonnet-4-5',
      }),
      acp({ name: 'opencode', command: commandOf(opencode), env }),
    ],
    environment: { PATH },
  })
})

afterEach(async () => {
  await reprise.close()
  await api.close()
  rmSync(root, { recursive: true, force: true })
})

/** The project wants its own agent, and lets all agents do everything. */
function allowEverything(): void {
  const permission = { '*': 'allow', bash: 'allow', edit: 'allow', external_directory: 'allow' }
  const free = { mode: 'primary', permission }
  // It guesses the name of the tier's agent, also with the id of the run, which is a variable of the process.
  const guessed = { 'reprise-tier': free, 'reprise-tier-{env:REPRISE_RUN_ID}': free }
  const agent = { free, build: { permission }, ...guessed }
  const config = { permission, agent, default_agent: 'free' }
  writeFileSync(project('opencode.json'), JSON.stringify(config))
}

const NONE = { usd: null, tokens: null, runs: null, wallClockMs: null }
const TIER: Tier = {
  ...{ name: 'look', role: 'Look at it.', model: null, permissionMode: null, actions: [] },
  ...{ allowedTools: [], disallowedTools: [], cooldownMs: 0, dryRun: false, budget: NONE },
  ...{ contextThreshold: null, approval: 'auto' as const },
}
const POLICY: Policy = {
  ...{ name: 'held', agent: 'opencode', maxTier: 1, contextThreshold: null },
  ...{ trust: 'project' as const, sandbox: 'none' as const, budget: NONE, tiers: [TIER] },
}

const run = (policy: Policy): Promise<Chain> =>
  reprise.chains.start({ policy, workDir: project(), prompt: 'The word is BANANA' }).result

const verdict = (word: string) => {
  const said = JSON.stringify({ verdict: word, summary: 's', reason: 'r', findings: [] })
  return textReply(`Looked.\n\n\`\`\`json\n${said}\n\`\`\``)
}

const bash = (command: string) => toolReply('bash', { command, description: 'Does it' })
const write = (file: string) => toolReply('write', { filePath: project(file), content: 'x' })

/** What the model says to opencode, request by request. It asks the model for a title without tools. */
function say(...replies: ScriptedReply[]): void {
  api.respond(({ tools }) => (tools.length === 0 ? undefined : replies.shift()))
}

/** How each call of the tier ended. */
async function callsOf({ runs }: Chain) {
  const events = await reprise.runs.events(runs.at(-1)?.id ?? '')
  const results = events.flatMap(event => (event.type === 'tool-result' ? event : []))
  return events.flatMap(event => {
    if (event.type !== 'tool') return []
    const { denied, isError } = results.find(({ id }) => id === event.id) ?? {}
    return [[event.name, denied ? 'refused' : isError ? 'failed' : 'ran']]
  })
}

test('E-5 A-2 a call inside of the tier runs, and calls outside of it are refused before they run, whatever the project allows', async () => {
  say(
    toolReply('read', { filePath: project('note.txt') }),
    bash(`echo hi > ${project('command.txt')}`),
    // opencode recognises no command in these, so it would run them without a question.
    bash(`[[ 'a[$(touch ${project('command.txt')})]' -eq 0 ]]`),
    bash(`> ${project('command.txt')}`),
    write('edit.txt'),
    toolReply('read', { filePath: join(root, 'outside.txt') }),
    toolReply('task', { description: 'x', prompt: 'Write', subagent_type: 'general' }),
    verdict('resolved'),
  )
  const chain = await run({ ...POLICY, tiers: [{ ...TIER, allowedTools: ['read'] }] })
  expect([chain.status, chain.runs.map(({ failure }) => failure)]).toEqual(['resolved', [null]])
  expect(await callsOf(chain)).toEqual([
    ['read', 'ran'],
    ['execute', 'refused'],
    ['execute', 'refused'],
    ['execute', 'refused'],
    ['edit', 'refused'],
    // opencode itself denies what is outside of the work dir.
    ['read', 'failed'],
    ['think', 'refused'],
  ])
  expect(['command.txt', 'edit.txt'].map(project).filter(existsSync)).toEqual([])
  const heard = api.turns.flatMap(turn => requestTexts(turn)).join('\n')
  expect([heard.includes('NOTED'), heard.includes('OUTSIDE')]).toEqual([true, false])
})

test('E-5 a tier that allows `execute` has its shell, and nothing else', async () => {
  say(bash(`cat ${project('note.txt')}`), write('edit.txt'), verdict('resolved'))
  const chain = await run({ ...POLICY, tiers: [{ ...TIER, allowedTools: ['execute'] }] })
  expect(await callsOf(chain)).toEqual([
    ['execute', 'ran'],
    ['edit', 'refused'],
  ])
  expect(existsSync(project('edit.txt'))).toBe(false)
})

test('E-16 A-2 a chain goes from Claude Code to opencode: a note brings what was found, and only the second tier may edit', async () => {
  const answers: Record<string, ScriptedReply[]> = {
    messages: [
      toolReply('Write', { file_path: project('early.txt'), content: 'x' }),
      toolReply('StructuredOutput', {
        ...{ verdict: 'escalate', summary: 'It is PEACH.', reason: 'r', findings: [] },
      }),
      textReply('Done.'),
    ],
    chat: [write('repaired.txt'), bash(`rm ${project('note.txt')}`), verdict('resolved')],
  }
  api.respond(({ tools, wire }) =>
    tools.length === 0 ? undefined : answers[wire === 'messages' ? wire : 'chat']?.shift(),
  )
  const claude: Tier = { ...TIER, agent: 'claude-code', allowedTools: ['Read'], trust: 'none' }
  const opencode: Tier = { ...TIER, agent: 'opencode', allowedTools: ['read', 'search', 'edit'] }
  const chain = await run({ ...POLICY, maxTier: 2, tiers: [claude, opencode] })
  expect([chain.words, chain.runs.map(({ failure }) => failure)]).toEqual([
    'tier 2 says that it is resolved',
    [null, null],
  ])
  expect(chain.runs.map(({ agent, decision }) => [agent, decision?.action])).toEqual([
    ['claude-code', 'start'],
    ['opencode', 'handover'],
  ])
  const told = api.turns.findLast(({ wire }) => wire !== 'messages')
  const heard = told ? requestTexts(told).join('\n') : ''
  expect(['The word is BANANA', 'It is PEACH.'].map(said => heard.split(said).length - 1)).toEqual([
    ...[1, 1],
  ])
  expect(await callsOf(chain)).toEqual([
    ['edit', 'ran'],
    ['execute', 'refused'],
  ])
  expect(['early.txt', 'repaired.txt', 'note.txt'].map(project).map(existsSync)).toEqual([
    ...[false, true, true],
  ])
  expect(chain.byTier.map(({ costUsd }) => costUsd !== null)).toEqual([true, true])
})

test('E-5 a tier that opencode broke off without a verdict is asked for it in the same session, in the same fence', async () => {
  say(textReply('I have looked.'), bash(`echo hi > ${project('command.txt')}`), verdict('resolved'))
  const chain = await run({ ...POLICY, tiers: [{ ...TIER, allowedTools: ['read'] }] })
  expect([chain.status, chain.runs.map(({ decision }) => decision?.action)]).toEqual([
    'resolved',
    ['start', 'resume'],
  ])
  expect(await callsOf(chain)).toEqual([['execute', 'refused']])
  expect(existsSync(project('command.txt'))).toBe(false)
})
