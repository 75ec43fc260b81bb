// What the fake agent says in the demo. A replay holds earlier prompts too, so later ones stand first.
import type { FakeScript } from '../../testing/fake-agent/script.ts'

export const PROMPTS = {
  first: 'Plan a health check for the web server',
  second: 'Now write its test',
  edited: 'Now write its documentation',
  third: 'Which file do I have to change?',
  killed: 'Run the whole test suite',
  last: 'Are you still there? Go on',
} as const

/** `reached` is created when the agent is in the middle of the turn that will be killed. */
export function scriptOf(reached: string): FakeScript {
  return [
    { when: PROMPTS.last, do: [text('Yes. The suite had not finished; I start it again.')] },
    {
      when: PROMPTS.killed,
      do: [
        text('Starting 240 tests …'),
        { type: 'waitForFile', path: `${reached}.never`, reached },
      ],
    },
    {
      when: PROMPTS.third,
      do: [text('Only docs/health.md; the server itself is done.')],
    },
    {
      when: PROMPTS.second,
      do: [text('Done: test/health.test.ts checks the status and the time.')],
    },
    { do: [text('GET /health answers 200 while the server can do its work.')] },
  ]
}

function text(words: string) {
  return { type: 'text', text: words } as const
}
