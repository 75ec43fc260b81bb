import { expect, test } from 'vitest'
import { readerOf, withSdkArguments } from './sdk-arguments.ts'

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json']
const OURS = ['--print', ...BASE, '--model', 'sonnet', '--resume', 'a-session']
const ASKING = [...OURS, '--permission-prompt-tool', 'stdio']

test('L-4 arguments from the caller’s SDK options come after our own; an argument of both comes once', () => {
  const sdks = [...BASE, '--mcp-config', '{"mcpServers":{}}', '--add-dir', '/tmp']
  expect(withSdkArguments(OURS, sdks)).toEqual([...OURS, ...sdks.slice(BASE.length)])
  expect(withSdkArguments(OURS, BASE)).toEqual(OURS)
})

test.each(['--resume=other', '--model=opus', '--permission-mode=bypassPermissions', '--continue'])(
  'D-2 an SDK option that sets %s is refused: Reprise decides it for each run',
  argument => {
    const refused = () => withSdkArguments(OURS, [...BASE, argument])
    expect(refused).toThrow(expect.objectContaining({ code: 'bad-input' }))
    expect(refused).toThrow(argument.split('=')[0])
  },
)

test('T-7 either Reprise or the SDK asks for permissions, never both', () => {
  const sdks = [...BASE, '--permission-prompt-tool', 'stdio']
  expect(withSdkArguments(OURS, sdks)).toHaveLength(OURS.length + 2)
  expect(() => withSdkArguments(ASKING, sdks)).toThrow(/canUseTool/)
})

test('an SDK that starts its program in another way is refused', () => {
  const refused = expect.objectContaining({ code: 'agent-unusable' })
  expect(() => withSdkArguments(OURS, ['--serve'])).toThrow(refused)
})

const line = (value: object) => JSON.stringify(value)
const permission = line({ type: 'control_request', request: { subtype: 'can_use_tool' } })

test.each([
  ['the answer to the SDK’s greeting', line({ type: 'control_response' }), OURS, 'sdk'],
  ['a hook', line({ type: 'control_request', request: { subtype: 'hook_callback' } }), OURS, 'sdk'],
  ['a permission that the SDK asked to be asked for', permission, OURS, 'sdk'],
  ['a permission that we ask the user for', permission, ASKING, 'reprise'],
  [
    'an answer that talks about it',
    line({ type: 'assistant', text: '"control_request"' }),
    OURS,
    null,
  ],
  ['a line that is not JSON', '{"control_', OURS, null],
])('L-4 %s goes to its reader', (_, text, ours, reader) => {
  expect(readerOf(text, ours)).toBe(reader)
})
