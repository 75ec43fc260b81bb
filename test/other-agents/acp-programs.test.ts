// The real programs that speak ACP: each begins a session, is killed, and goes on with it in another process.
import { existsSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ModelApi, requestTexts, startModelApi } from '../../src/testing/index.ts'
import { type AcpClient, startAcp } from '../agents/acp-client.ts'
import { ACP_PROGRAMS, type AgentProgram, commandOf } from '../agents/agent-programs.ts'

const INITIALIZE = { protocolVersion: 1, clientCapabilities: {} }

let api: ModelApi
let root: string
const started: AcpClient[] = []
beforeEach(async () => {
  api = await startModelApi()
  root = realpathSync(mkdtempSync(join(tmpdir(), 'acp-')))
  mkdirSync(join(root, 'work'))
})
afterEach(async () => {
  for (const { process } of started.splice(0)) {
    process.kill()
    await process.ended
  }
  await api.close()
})

async function start(program: AgentProgram) {
  const place = { apiUrl: api.url, home: join(root, 'home'), temporary: join(root, 'tmp') }
  const client = startAcp({ program, place, args: [], cwd: join(root, 'work'), onSaid: () => {} })
  started.push(client)
  const { result } = await client.request('initialize', INITIALIZE)
  return { client, version: (result?.agentInfo as { version?: string } | undefined)?.version }
}

const prompt = (client: AcpClient, sessionId: unknown, text: string) =>
  client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })

describe.each(ACP_PROGRAMS)('$name $version', program => {
  const cwd = () => join(root, 'work')

  test('is installed', () => {
    for (const file of commandOf(program).filter(word => word.startsWith('/')))
      expect([file, existsSync(file)]).toEqual([file, true])
  })

  test('says its version, and answers a prompt of a new session', async () => {
    const { client, version } = await start(program)
    expect([undefined, program.version]).toContain(version)
    const opened = await client.request('session/new', { cwd: cwd(), mcpServers: [] })
    const answer = await prompt(client, opened.result?.sessionId, 'Remember the word BANANA.')
    expect(answer.result).toMatchObject({ stopReason: 'end_turn' })
    const said = client.process.lines.join('\n')
    expect(said).toContain('MOCK-OK: ')
    expect(said).toContain('Remember the word BANANA.')
  })
})

// Gemini finds no session that is younger than a minute, and a test does not wait that long.
const QUICK = ACP_PROGRAMS.filter(({ findsAfterMs }) => findsAfterMs === undefined)

test.each(QUICK)(
  '$name continues a session in another process, after a kill unless it saves late',
  async program => {
    const place = { cwd: join(root, 'work'), mcpServers: [] }
    const { client: first } = await start(program)
    const { result } = await first.request('session/new', place)
    const sessionId = result?.sessionId
    await prompt(first, sessionId, 'Remember the word BANANA.')
    if (program.savesLate) first.process.closeInput()
    else first.process.kill()
    await first.process.ended
    const { client: second } = await start(program)
    await second.request('session/load', { sessionId, ...place })
    await prompt(second, sessionId, 'Which word was it?')
    const asked = api.requests.findLast(request =>
      requestTexts(request).some(text => text.includes('Which word was it?')),
    )
    const texts = asked ? requestTexts(asked).join('\n') : ''
    expect(texts).toMatch(/Remember the word BANANA\.[\s\S]*MOCK-OK[\s\S]*Which word was it\?/)
  },
)
