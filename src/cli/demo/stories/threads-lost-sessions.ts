// Conversations of the full demo whose session was lost, damaged, or continued by somebody else.

import {
  continueElsewhere,
  damageSession,
  loseSession,
  loseSessionFile,
} from '../full/session-files.ts'
import type { ThreadStory, Told } from '../full/tell-thread.ts'
import { accessLog } from './pasted-logs.ts'

const CRASHED = [{ type: 'exit', code: 134, withoutResult: true }] as const

/** The session that the conversation used last. */
async function latestSession({ thread }: Told) {
  const { sessions } = await thread.show()
  const latest = sessions.toSorted((left, right) => right.lastMessageAt - left.lastMessageAt)[0]
  if (latest) return latest
  throw new Error('a thread of the demo has no session')
}

export const LOST_SESSION_THREADS: readonly ThreadStory[] = [
  {
    title: 'A smaller container for the till',
    workDir: 'till',
    turns: [
      {
        ago: '12d 6h',
        prompt: 'The image of the till has 1.2 GB. Make it small.',
        work: 7,
        answer:
          'Two stages and `node:24-slim` bring it to **190 MB**. Most of the rest is Node itself.',
      },
      {
        ago: '12d 5h 30m',
        prompt: 'Does it still print receipts?',
        work: 5,
        answer:
          'Yes. I printed ten to a file and compared them with those of the old image: not a byte differs.',
      },
      {
        ago: '6d 6h',
        prompt: 'Scan it for known holes.',
        before: async told => loseSession(told.world, (await latestSession(told)).sessionId),
        work: 4,
        answer:
          'None in our packages. Two low ones in the base image, both without a way to reach them from outside.',
      },
      {
        ago: '6d 5h 40m',
        prompt: 'Then release it.',
        work: 5,
        answer: 'Released as `till:2026.11.11-1`. The first till pulled it in 14 s instead of 90.',
      },
    ],
  },
  {
    title: 'Flaky test: orders-sync',
    workDir: 'till',
    turns: [
      {
        ago: '9d 2h',
        prompt: 'The test orders-sync fails once a day. Why?',
        work: 8,
        answer:
          'It waits for 100 ms, and a busy machine needs 140. It should wait for the *event*, not for the time.',
      },
      {
        ago: '9d 1h 40m',
        prompt: 'Change it.',
        work: 6,
        answer: 'It waits for the event now, for at most 5 s. 500 runs in a row pass.',
      },
      {
        ago: '7d 7h',
        prompt: accessLog('It failed again last night. This is the log of the fake shop:', 900),
        before: async told => {
          const { sessionId, workDir } = await latestSession(told)
          const prompt = 'Is there a log of last night?'
          await continueElsewhere(told.world, { sessionId, workDir, prompt })
        },
        work: 7,
        answer: 'Another cause: two tests use the same port. I gave each its own.',
      },
      {
        ago: '1d 7h',
        prompt: 'How often did it fail since?',
        work: 3,
        answer: 'Never, in 1,140 runs.',
      },
    ],
  },
  {
    title: 'Drop the legacy price table',
    workDir: 'shop',
    turns: [
      {
        ago: '5d 9h',
        prompt: accessLog('Does anybody still read the table old_prices? The log of today:', 1_400),
        work: 6,
        answer:
          'Only the report of the accountants, once a month. It could read `prices` with the same columns.',
      },
      { ago: '5d 8h 50m', prompt: 'Change the report.', atEnd: CRASHED },
      { ago: '5d 8h 40m', prompt: 'Change the report, please.', atEnd: CRASHED },
      { ago: '5d 8h 30m', prompt: 'Try once more.', atEnd: CRASHED },
      {
        ago: '5d 8h',
        prompt: 'Now?',
        work: 7,
        answer: 'The report reads `prices`. October comes out the same, to the cent: 1,204 rows.',
      },
      {
        ago: '2d 7h',
        prompt: 'Drop the table.',
        work: 4,
        answer: 'Dropped, after a copy to `backup/old_prices.csv` (41 kB).',
      },
    ],
  },
  {
    title: 'Write the handbook of the till',
    workDir: 'till',
    turns: [
      {
        ago: '10d 5h',
        prompt: 'Write a handbook for people at the till: one page, big letters.',
        work: [{ type: 'noPersistence' }],
        answer:
          '# The till\n\n**Start** · hold the green key for two seconds.\n\n**Paper is empty** · open the lid, put the roll in, close it.\n\n**Nothing works** · switch it off, count to ten, switch it on. Nothing is lost.',
      },
      {
        ago: '10d 4h 45m',
        prompt: 'Add what to do when the card reader is silent.',
        work: 2,
        answer:
          '**The card reader is silent** · take its cable out and put it in again. Cash always works.',
      },
      {
        ago: '8d 4h',
        prompt: 'In French as well.',
        before: async told => loseSessionFile(told.world, (await latestSession(told)).sessionId),
        work: 3,
        answer: 'Done: `handbook.fr.md`, on one page as well.',
      },
      {
        ago: '1d 4h',
        prompt: 'And a picture of the green key.',
        before: async told => damageSession(told.world, (await latestSession(told)).sessionId),
        work: 2,
        answer: 'I drew one as SVG: `key.svg`, 600 bytes. It is at the top of both pages.',
      },
    ],
  },
]
