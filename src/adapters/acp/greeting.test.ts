import { expect, test } from 'vitest'
import { greetingWith, recognise } from './greeting.ts'

const answer = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })
const greeted = (name: string, version: string, loadSession = true) =>
  answer({ protocolVersion: 1, agentInfo: { name, version }, agentCapabilities: { loadSession } })

test.each([
  ['a tested one', greeted('OpenCode', '1.18.33'), { version: '1.18.33', warning: null }],
  [
    'another version',
    greeted('OpenCode', '2.0.0'),
    { version: '2.0.0', warning: 'OpenCode 2.0.0 is not the tested version, which is 1.18.33' },
  ],
  [
    'one that nobody has heard of',
    greeted('mine', '1.0.0'),
    {
      abilities: { resume: true, fork: false },
      quirks: [],
      warning: 'Reprise was not tested with mine',
    },
  ],
  ['one that cannot load', greeted('mine', '1.0.0', false), { abilities: { resume: false } }],
  [
    'one that repeats a loaded session too late',
    greeted('gemini-cli', '0.61.0'),
    { abilities: { resume: false }, quirks: ['repeats-loaded-session-late'] },
  ],
  ['a name that every object has', greeted('toString', '1'), { quirks: [] }],
  ['one without a name', answer({ protocolVersion: 1 }), { version: 'unknown version' }],
  [
    'another version of the protocol',
    answer({ protocolVersion: 2 }),
    { problem: 'it speaks version 2 of ACP, not version 1' },
  ],
  [
    'a refusal',
    '{"id":1,"error":{"code":-32000,"message":"no"}}',
    { problem: 'it refuses the greeting of ACP: no' },
  ],
  [
    'another program',
    'error: unknown option --acp',
    { problem: 'it does not answer the greeting of ACP: error: unknown option --acp' },
  ],
])('A-2 recognises an agent by its answer to the greeting: %s', (_, printed, expected) => {
  expect(recognise([printed])).toMatchObject(expected)
})

test('the answer to the greeting is found among other lines', () => {
  const { args, input, isAnswer } = greetingWith(['--acp'])
  expect([args, JSON.parse(input).method]).toEqual([['--acp'], 'initialize'])
  const lines = ['Loading…', '{"id":2,"result":{}}', '{"id":1,"method":"x"}', greeted('a', '1')]
  expect(lines.map(isAnswer)).toEqual([false, false, false, true])
})
