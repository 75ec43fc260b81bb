// What clients may send: bodies, queries, headers, ids in paths. The daemon refuses unknown fields.
import { z } from '@hono/zod-openapi'
import { ID_KINDS } from '../../core/id-kind.ts'
import { actionSchema } from './decision.ts'
import { carrySchema, id, mayBeMissing, sandboxModeSchema, trustSchema } from './fields.ts'
import { questionStateSchema } from './question.ts'
import { runStatusSchema } from './run.ts'
import { BROWSER_SCOPES } from './scope.ts'
import { threadKindSchema, toolUseSchema } from './thread.ts'

const MAX_LISTED = 200
const DEFAULT_LISTED = 50
const MAX_DRAIN_MS = 24 * 3_600_000

/** Names of models, modes and tools: one line of bounded length. The adapter checks them further. */
const name = z.string().min(1).max(200)
const toolNames = z.array(z.string().min(1).max(1_000)).max(500)
/** The daemon works in another directory than its caller, so a relative path would name a directory that nobody meant. */
export const absolutePath = z
  .string()
  .max(4_096)
  .regex(/^\//, 'must be an absolute path: the daemon works in another directory than you')
const title = z.string().max(1_000)

const trust = trustSchema.openapi({
  description:
    'Whose settings, hooks and servers take part. A token without the scope `approve` has `none`.',
})

const carry = carrySchema.openapi({
  description:
    'What the agent gets of the conversation: its session (`whole`), a copy with long outputs cut (`trimmed`), a note in a new session (`note`), or the cheapest that loses nothing (`auto`).',
})

/** Where new work happens; the handler refuses both and neither. */
export const place = {
  workDir: absolutePath
    .optional()
    .openapi({ description: 'A directory of the host that runs the daemon.' }),
  workspace: z
    .strictObject({
      repository: z.string().min(1).max(2_048).openapi({
        description: 'https, ssh, git, file, `user@host:path` or an absolute path; no credentials.',
      }),
      ref: z.string().min(1).max(255).optional().openapi({
        description: 'A branch, a tag or a full commit id; default: the default branch.',
      }),
    })
    .optional()
    .openapi({
      description: 'Instead of `workDir`: each host that runs the work checks it out for itself.',
    }),
}

export const newThreadSchema = z
  .strictObject({
    agent: name.optional(),
    ...place,
    title: title.optional(),
    view: z.enum(['all', 'own']).optional(),
    trust: trust.optional(),
    sandbox: sandboxModeSchema.optional(),
    carry: carry.optional(),
  })
  .openapi('NewThread')

export const adoptSchema = z
  .strictObject({
    agent: name.optional(),
    workDir: absolutePath,
    model: name.optional(),
    trust: trust.optional(),
    sandbox: sandboxModeSchema.optional(),
    carry: carry.optional(),
    messages: z
      .array(
        z.strictObject({
          role: z.enum(['user', 'assistant']),
          text: z.string(),
          tools: z.array(toolUseSchema).max(10_000).optional(),
        }),
      )
      .max(100_000),
    sessionId: id.optional().openapi({
      description:
        "The agent's own session; it counts only if its file begins with these messages.",
    }),
  })
  .openapi('Adopt')

export const turnOptions = {
  agent: name.optional(),
  model: name.optional(),
  workDir: absolutePath.optional(),
  permissionMode: name.optional(),
  allowedTools: toolNames.optional(),
  disallowedTools: toolNames.optional(),
  instructions: z.string().optional().openapi({
    description: 'Kept with the thread until a turn brings others; an empty text clears them.',
  }),
  budgetUsd: z.number().positive().max(1_000_000).optional(),
  maxTurns: z.number().int().min(1).max(100_000).optional(),
  trust: trust.optional(),
  sandbox: sandboxModeSchema.optional(),
  freshSession: z.boolean().optional(),
  carry: carry.optional(),
  questions: z
    .enum(['ask', 'none'])
    .optional()
    .openapi({ description: 'Default: `ask`, and questions wait for an answer.' }),
  whenBusy: z.enum(['queue', 'fail']).optional(),
}

const after = id.optional().openapi({
  description: 'The message that the prompt follows; later messages are dropped.',
})

export const newTurnSchema = z
  .strictObject({ prompt: z.string(), after, ...turnOptions })
  .openapi('NewTurn')

/** The body of a turn. The prompt is optional: only the estimate depends on it. */
export const previewSchema = z
  .strictObject({
    prompt: z.string().optional(),
    after,
    retry: id.optional().openapi({
      description: 'The message that would be asked again; not together with `after`.',
    }),
    ...turnOptions,
  })
  .openapi('Preview')

/** The options of the turn that will follow. */
export const preWarmSchema = z.strictObject(turnOptions).openapi('PreWarm')

export const retrySchema = z
  .strictObject({ text: z.string().optional(), ...turnOptions })
  .openapi('Retry')

export const editSchema = z.strictObject({ text: z.string() }).openapi('Edit')

export const renameSchema = z.strictObject({ title }).openapi('Rename')

export const forkSchema = z
  .strictObject({ at: id.optional(), title: title.optional() })
  .openapi('Fork')

/** An empty body: `{}`, or none. */
export const emptySchema = z.strictObject({})

export const diagnoseSchema = z.strictObject({
  /** Make a repaired copy; the file itself is never changed. */
  repair: mayBeMissing(z.boolean()),
})

/** What the browser that signs in may do; without scopes, everything that a browser can do. */
export const loginSchema = z
  .strictObject({ scopes: z.array(z.enum(BROWSER_SCOPES)).min(1).optional() })
  .openapi('LoginRequest')

/** Without `drainMs`, the time that the daemon was started with. */
export const stopSchema = z
  .strictObject({ drainMs: z.int().nonnegative().max(MAX_DRAIN_MS).optional() })
  .openapi('StopRequest')

export const idParams = z.strictObject({ id })
export const messageParams = z.strictObject({ id, messageId: id })

/** A time in a query, in milliseconds since 1970. */
export const milliseconds = z.coerce.number().int().min(0).max(8_640_000_000_000_000)

export const page = {
  cursor: id.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(DEFAULT_LISTED),
}

export const threadsQuery = z.strictObject({
  q: z.string().max(1_000).optional(),
  agent: name.optional(),
  workDir: z.string().max(4_096).optional(),
  kind: threadKindSchema.optional(),
  status: runStatusSchema.optional(),
  action: actionSchema.optional(),
  since: milliseconds.optional(),
  /** Only threads that came in a file of somebody else and that nobody has approved. */
  unapproved: z
    .literal('true')
    .transform(() => true as const)
    .optional(),
  ...page,
})

export const runsQuery = z.strictObject({
  thread: id.optional(),
  chain: id.optional(),
  session: id.optional(),
  job: id.optional(),
  status: runStatusSchema.optional(),
  since: milliseconds.optional(),
  ...page,
})

export const sessionsQuery = z.strictObject({
  thread: id.optional(),
  agent: name.optional(),
  since: milliseconds.optional(),
  ...page,
})

/** What an id belongs to, and its first letters. */
export const idsQuery = z.strictObject({
  kind: z.enum(ID_KINDS),
  beginning: id,
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(10),
})

export const questionsQuery = z.strictObject({
  state: questionStateSchema.optional(),
  cursor: z.string().min(1).max(512).optional(),
  limit: page.limit,
})

export const savingsQuery = z.strictObject({
  by: z.enum(['day', 'thread', 'agent']).default('day'),
  since: z.coerce.number().int().min(0).optional().openapi({
    description: 'Leaves out runs that started before it; milliseconds since 1970.',
  }),
})

/** A file name with no way out of its directory. */
export const assetParams = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]+\.[a-z0-9.]+$/),
})

export const loginQuery = z.strictObject({ code: z.string().max(128).optional() })

/** `after` may be any text: the daemon answers an impossible place with a `resync`. */
export const eventsQuery = z.strictObject({
  after: z.string().max(150).optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
})

export const idempotencyHeaders = z.object({
  'idempotency-key': z.string().min(1).max(200).optional().openapi({
    description:
      'A request with the same key and body gets the same answer, and nothing is done twice.',
  }),
})

/** Of what runs later: the trace it belongs to comes along. */
export const submissionHeaders = idempotencyHeaders.extend({
  traceparent: z.string().optional().openapi({
    description:
      'The trace that the work belongs to, by W3C Trace Context. A malformed one is ignored.',
  }),
  tracestate: z.string().optional().openapi({
    description: 'What tracing systems add to `traceparent`.',
  }),
})

export const lastEventHeaders = z.object({
  'last-event-id': z.string().max(150).optional(),
})
