import { describe, expect, test } from 'vitest'
import { RepriseError } from '../errors.ts'
import { type AwayNotice, whileAway } from './away.ts'

const AWAY = new RepriseError('daemon-unreachable', 'connection refused', 'start it')

function waiting(awayMs: number) {
  const notices: AwayNotice[] = []
  const onAway = (notice: AwayNotice) => void notices.push(notice)
  const awaited = { what: 'run_1 of thr_1', goOn: 'reprise runs show run_1', onAway, awayMs }
  const ask = (request: () => Promise<string>) =>
    whileAway(request, new AbortController().signal, awaited)
  return { notices, ask }
}

describe('a daemon that is away', () => {
  test('U-4 gives one notice with the ids of the work, and another when it is back', async () => {
    const { notices, ask } = waiting(60_000)
    let failures = 3
    const answer = await ask(async () => {
      if (failures-- > 0) throw AWAY
      return 'answer'
    })
    expect(answer).toBe('answer')
    expect(notices).toEqual([
      {
        code: 'daemon-away',
        text: 'the daemon is away: waiting up to 60 s for it, for run_1 of thr_1',
      },
      { code: 'daemon-back', text: 'the daemon is back: on with run_1 of thr_1' },
    ])
  })

  test('U-4 for too long ends the waiting with the ids and the command to go on', async () => {
    const { notices, ask } = waiting(0)
    await expect(ask(() => Promise.reject(AWAY))).rejects.toMatchObject({
      code: 'daemon-unreachable',
      message: expect.stringContaining('nobody waits any longer for run_1 of thr_1'),
      hint: expect.stringContaining('`reprise runs show run_1`'),
    })
    expect(notices.map(({ code }) => code)).toEqual(['daemon-away'])
  })

  test('is not what another error says: that is thrown at once', async () => {
    const { notices, ask } = waiting(60_000)
    const wrong = new RepriseError('not-found', 'no such run', 'look again')
    await expect(ask(() => Promise.reject(wrong))).rejects.toBe(wrong)
    expect(notices).toEqual([])
  })
})
