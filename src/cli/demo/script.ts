// What the fake agent says and does in the demo. A replay contains earlier prompts too, so rules for later prompts come first.
import type { FakeScript, ScriptStep } from '../../testing/fake-agent/script.ts'

export const PROMPTS = {
  first: 'Plan a health check for the web server',
  second: 'Now write its test',
  edited: 'Now write its documentation',
  third: 'Which file do I have to change?',
  chain: 'Check the health of all services',
  job: 'Run the whole test suite',
} as const

/** The agent creates the file `working` in the middle of the job that will be killed. */
export function scriptOf(working: string): FakeScript {
  return [...CHAIN, ...jobOf(working), ...CHAT]
}

const CHAT: FakeScript = [
  { when: PROMPTS.third, do: [text('Only docs/health.md; the server itself is done.')] },
  {
    when: PROMPTS.second,
    do: [text('Done: test/health.test.ts checks the status and the time.')],
  },
  { do: [text('GET /health answers 200 while the server can do its work.')] },
]

/** Each rule matches the text with which a tier's prompt names the tier. */
const CHAIN: FakeScript = [
  {
    when: 'tier 3 of 3',
    do: [
      bash('helm rollback shop', 'Rollback was a success.'),
      verdict('resolved', 'The shop answers again, on the release of yesterday.'),
    ],
  },
  {
    when: 'tier 2 of 3',
    do: [
      bash('docker restart shop', 'shop'),
      verdict('escalate', 'Restarted, and it still answers 502: the new release is broken.'),
    ],
  },
  {
    when: 'tier 1 of 3',
    do: [
      bash('curl -s -o /dev/null -w %{http_code} http://shop/health', '502'),
      verdict('escalate', 'The shop answers 502; everything else is well.'),
    ],
  },
]

function jobOf(working: string): FakeScript {
  const never = `${working}.never`
  return [
    { when: 'attempt 2', do: [text('Went on with the half that was left: all 240 tests pass.')] },
    {
      when: PROMPTS.job,
      do: [
        text('120 of 240 tests have passed …'),
        { type: 'waitForFile', path: never, reached: working },
      ],
    },
  ]
}

function text(words: string): ScriptStep {
  return { type: 'text', text: words }
}

function bash(command: string, result: string): ScriptStep {
  return { type: 'tool', name: 'Bash', input: { command }, result }
}

function verdict(word: 'escalate' | 'resolved', summary: string): ScriptStep {
  const reason = word === 'escalate' ? { reason: summary } : {}
  return { type: 'verdict', output: { verdict: word, summary, ...reason } }
}
