import { beforeEach, describe, expect, test } from 'vitest'
import type { AgentProcess } from '../../runner/runner.ts'
import { DEFAULT_LIMITS } from '../../runner/runner.ts'
import { createFakeRunner } from '../fake-runner.ts'
import { FILE, ID, linesOf, type ProcessEvent, smallWorld } from '../in-process-agent.ts'
import type { MemoryFiles } from '../memory-files.ts'
import type { FakeScript } from './script.ts'

let files: MemoryFiles
beforeEach(async () => {
  files = await smallWorld()
})

const user = (content: string) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`
const request = (id: string, subtype: string) =>
  `${JSON.stringify({ type: 'control_request', request_id: id, request: { subtype } })}\n`

/** Starts a process that keeps its input open, and reads its events one by one. */
async function open(script: FakeScript, session = ['--session-id', ID], version = '2.1.325') {
  const runner = createFakeRunner({ files, script })
  const command = {
    file: '/bin/agent',
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'],
      ...session,
    ],
    env: { CLAUDE_CONFIG_DIR: '/config', FAKE_AGENT_VERSION: version },
    workDir: '/project',
    stdin: new Uint8Array(),
    keepsInputOpen: true,
  }
  const process: AgentProcess = await runner.start(command, 'run_1', DEFAULT_LIMITS)
  const lines = process.lines[Symbol.asyncIterator]()
  const read = async (): Promise<ProcessEvent> => {
    const { value } = await lines.next()
    return value?.kind === 'line' ? JSON.parse(value.text) : { type: 'end' }
  }
  const until = async (type: string): Promise<ProcessEvent> => {
    for (let event = await read(); ; event = await read()) if (event.type === type) return event
  }
  return { runner, process, read, until }
}

const fileTypes = () => linesOf(files).map(({ type }) => type)

describe.each(['2.1.197', '2.1.325'])('the fake agent %s with an open input', version => {
  test('takes several turns: each knows those before, the cost counts on, the usage is of the turn', async () => {
    const { runner, process, until } = await open([], ['--session-id', ID], version)
    const results: ProcessEvent[] = []
    for (const prompt of ['one', 'two', 'three']) {
      process.write(user(prompt))
      results.push(await until('result'))
    }
    expect(results.map(({ result }) => result)).toEqual(['echo: one', 'echo: two', 'echo: three'])
    expect(runner.journal.map(({ turn, prompt }) => [turn, prompt])).toEqual([
      ...[
        [1, 'one'],
        [2, 'two'],
        [3, 'three'],
      ],
    ])
    const history = runner.journal.at(-1)?.history.map(({ text }) => text)
    expect(history).toEqual(['one', 'echo: one', 'two', 'echo: two'])
    const billed = runner.journal.map(({ billedUsd }) => billedUsd)
    const totals = results.map(({ total_cost_usd: total }) => Number(total))
    expect(totals[2]).toBeCloseTo(
      billed.reduce((sum, usd) => sum + usd, 0),
      9,
    )
    const used = results.map(({ usage }) => (usage as { output_tokens: number }).output_tokens)
    expect(used).toEqual([3, 3, 3])
    expect(fileTypes()).not.toContain('last-prompt')
    process.endInput()
    expect((await process.exit).code).toBe(0)
    expect(fileTypes().filter(type => type === 'last-prompt')).toHaveLength(1)
  })

  test('answers whether it listens, before its first prompt and between turns, and writes nothing', async () => {
    const { process, read, until } = await open([], ['--session-id', ID], version)
    process.write(request('check', 'get_binary_version'))
    const answer = {
      type: 'control_response',
      response: { subtype: 'success', request_id: 'check', response: { version } },
    }
    expect(await read()).toEqual(answer)
    expect(files.text(FILE)).toBeNull()
    process.write(user('one'))
    await until('result')
    const before = files.text(FILE)
    process.write(request('check', 'get_binary_version'))
    expect(await read()).toEqual(answer)
    expect(files.text(FILE)).toBe(before)
    await process.stop('shutdown')
  })

  test.each([
    ['streaming', 'aborted_streaming', '[Request interrupted by user]'],
    ['tools', 'aborted_tools', '[Request interrupted by user for tool use]'],
  ])(
    'is interrupted in its %s: a result says so, and the next turn goes on from there',
    async (where, reason, words) => {
      const call = { type: 'tool', name: 'Bash', result: null } as const
      const { runner, process, until } = await open(
        [
          {
            when: 'stop here',
            do: [
              { type: 'text', text: 'half' },
              ...(where === 'tools' ? [call] : []),
              { type: 'waitForFile', path: '/go', reached: '/reached' },
            ],
          },
        ],
        ['--session-id', ID],
        version,
      )
      process.write(user('stop here'))
      await until('assistant')
      while ((await files.stat('/reached')) === null) await new Promise(setImmediate)
      process.write(request('stop', 'interrupt'))
      expect(await until('control_response')).toMatchObject({ response: { request_id: 'stop' } })
      expect(await until('result')).toMatchObject({ is_error: true, terminal_reason: reason })
      process.write(user('go on'))
      expect(await until('result')).toMatchObject({ is_error: false, result: 'echo: go on' })
      expect(runner.journal.at(-1)?.history.at(-1)?.text).toBe(words)
      await process.stop('shutdown')
    },
  )
})

describe('a fake agent that stays', () => {
  test('does not look at its session file again', async () => {
    const { runner, process, until } = await open([])
    process.write(user('one'))
    await until('result')
    await files.remove(FILE)
    process.write(user('two'))
    await until('result')
    expect(runner.journal.at(-1)?.history.map(({ text }) => text)).toEqual(['one', 'echo: one'])
    await process.stop('shutdown')
  })

  test('ends after a turn that ends its process', async () => {
    const { process, until } = await open([{ do: [{ type: 'exit', code: 3 }] }])
    process.write(user('one'))
    await until('result')
    expect((await process.exit).code).toBe(3)
  })
})
