// What the fake agent answers to the prompts of the documents. To any other prompt it says `echo: <its last line>`.
import type { FakeScript, FakeTurn } from '../../../src/testing/fake-agent/script.ts'

const says = (when: string, text: string): FakeTurn => ({ when, do: [{ type: 'text', text }] })
const judges = (when: string, output: Readonly<Record<string, string>>): FakeTurn => ({
  when,
  do: [{ type: 'verdict', output }],
})

export const AGENT_SCRIPT: FakeScript = [
  // A replay holds the earlier prompts too, so the latest one comes first.
  says('Which file do I have to change?', 'src/db/health.ts'),
  says('Now write its test', 'Done: test/health.test.ts checks the status and the time.'),
  says('Plan a health check', 'GET /health answers 200 while the server can do its work.'),
  judges('You now operate as tier 2', { verdict: 'resolved', summary: 'restarted the web server' }),
  judges('You operate as tier 2', { verdict: 'resolved', summary: 'restarted the web server' }),
  judges('Check the health of all services', {
    verdict: 'escalate',
    summary: 'the web server does not answer',
    reason: 'needs a restart',
  }),
]
