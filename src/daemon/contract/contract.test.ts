import type { z } from '@hono/zod-openapi'
import { describe, expectTypeOf, test } from 'vitest'
import type { AgentReport, SavingsReport, ThreadDetails } from '../../api.ts'
import type { PolicyReport } from '../../core/chain/policy-report.ts'
import type { Message } from '../../core/conversation/messages.ts'
import type { CountedSession } from '../../core/conversation/session.ts'
import type { ThreadSummary } from '../../core/conversation/thread.ts'
import type { Check, Decision, Facts, Reason } from '../../core/decide/decision.ts'
import type { DecisionInWords } from '../../core/decide/explain.ts'
import type { PreviewInWords } from '../../core/decide/preview.ts'
import type { Failure, Run, RunStatus } from '../../core/run/run.ts'
import type { policyReportSchema } from './chain.ts'
import type {
  checkSchema,
  decisionInWordsSchema,
  decisionSchema,
  factsSchema,
  previewInWordsSchema,
  reasonSchema,
} from './decision.ts'
import type { agentSchema, savingsReportSchema } from './report.ts'
import type { failureSchema, runSchema, runStatusSchema } from './run.ts'
import type { messageSchema, sessionSchema, threadSchema, threadSummarySchema } from './thread.ts'

// The schemas prove that every value they accept has our types. This is the other half: they accept every value of our types.
// The compiler checks it, not the test run.
describe('the contract', () => {
  test('carries every value of the types it is made for', () => {
    expectTypeOf<Run>().toExtend<z.output<typeof runSchema>>()
    expectTypeOf<RunStatus>().toExtend<z.output<typeof runStatusSchema>>()
    expectTypeOf<Failure>().toExtend<z.output<typeof failureSchema>>()
    expectTypeOf<Decision>().toExtend<z.output<typeof decisionSchema>>()
    expectTypeOf<Check>().toExtend<z.output<typeof checkSchema>>()
    expectTypeOf<Reason>().toExtend<z.output<typeof reasonSchema>>()
    expectTypeOf<Facts>().toExtend<z.output<typeof factsSchema>>()
    expectTypeOf<DecisionInWords>().toExtend<z.output<typeof decisionInWordsSchema>>()
    expectTypeOf<PreviewInWords>().toExtend<z.output<typeof previewInWordsSchema>>()
    expectTypeOf<Message>().toExtend<z.output<typeof messageSchema>>()
    expectTypeOf<ThreadSummary>().toExtend<z.output<typeof threadSummarySchema>>()
    expectTypeOf<PolicyReport>().toExtend<z.output<typeof policyReportSchema>>()
    expectTypeOf<AgentReport>().toExtend<z.output<typeof agentSchema>>()
    expectTypeOf<SavingsReport>().toExtend<z.output<typeof savingsReportSchema>>()
  })

  test('has threads and sessions as the library gives them', () => {
    expectTypeOf<CountedSession>().toExtend<z.output<typeof sessionSchema>>()
    expectTypeOf<ThreadDetails>().toExtend<z.output<typeof threadSchema>>()
  })
})
