import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createToken, listTokens } from '../../daemon/process/token-records.ts'
import type { Io } from '../start/io.ts'
import { approverOf, checkApproveToken, requireApprover, tokenOf } from './approver.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reprise-approver-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function io(isTTY: boolean, env: Io['env'] = {}): Io {
  const sink = { write: () => {}, isTTY }
  return {
    stdin: Object.assign(Readable.from([]), { isTTY }),
    isStdinPiped: () => false,
    stdout: sink,
    stderr: sink,
    env,
    cwd: home,
    onStopRequest: () => () => {},
    exitNow: () => {},
  }
}

describe('E-13 S19 an approval by the command line', () => {
  test.each([
    ['a terminal', io.bind(null, true, {}), { kind: 'terminal' }],
    ['a token', io.bind(null, false, { REPRISE_TOKEN: 't' }), { kind: 'token', token: 't' }],
    ['neither', io.bind(null, false, {}), null],
    ['a terminal inside a run', io.bind(null, true, { REPRISE_RUN_ID: 'run_1' }), null],
  ])('with %s', (_, surroundings, approver) => {
    expect(approverOf(surroundings())).toEqual(approver)
  })

  test('without a terminal and without a token it is refused, with what to do', () => {
    expect(() => requireApprover(io(false))).toThrow(
      expect.objectContaining({
        code: 'forbidden',
        message: expect.stringContaining('this is no terminal'),
        hint: expect.stringContaining('reprise token create --scope read,submit,approve'),
      }),
    )
  })

  test('the token must be one that was made, and may approve', () => {
    const approving = createToken(home, { label: null, scopes: ['read', 'approve'] })
    const reading = createToken(home, { label: null, scopes: ['read'] })
    expect(() => checkApproveToken(home, approving)).not.toThrow()
    const forged = { token: `${approving.token.slice(0, -1)}-` }
    for (const wrong of [reading, forged, { token: 'of the data directory' }]) {
      expect(() => checkApproveToken(home, wrong)).toThrow(/may not approve/)
    }
  })

  test('at a terminal the daemon is shown a token that lasts as long as the command', () => {
    const { token, release } = tokenOf(home, { kind: 'terminal' })
    expect(() => checkApproveToken(home, { token })).not.toThrow()
    release()
    expect(listTokens(home)).toEqual([])
  })
})
