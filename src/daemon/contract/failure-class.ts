// The classes of failures as they go over the wire.
import { z } from '@hono/zod-openapi'
import type { FailureClass } from '../../core/run.ts'

export const failureClassSchema = z.enum([
  'resume-refused',
  'anchor-missing',
  'not-continued',
  'auth',
  'usage-limit',
  'rate-limit',
  'overload',
  'network',
  'server-error',
  'bad-request',
  'too-long',
  'credit',
  'model-not-found',
  'refusal',
  'max-turns',
  'budget',
  'policy-violation',
  'spawn-failed',
  'agent-crashed',
  'no-result',
  'no-first-event',
  'silent',
  'too-slow',
  'output-limit',
  'cancelled',
  'supervisor-died',
  'unanswered',
  'unknown',
]) satisfies z.ZodType<FailureClass>
