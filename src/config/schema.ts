// The schema of the config files. It is loaded only when one of them exists.
import { z } from 'zod'
import { CARRIES } from '../core/chain/carry.ts'
import { LOG_LEVELS } from '../core/daemon-settings.ts'
import { WHEN_BUSY } from '../core/drop-in-settings.ts'
import { HOST_ID_HINT, isHostId } from '../core/host-id.ts'
import { isLabel, LABEL_WORDS } from '../core/job/label.ts'
import { SANDBOX_MODES } from '../core/run/sandbox.ts'
import { TRUSTS } from '../core/run/trust.ts'

const milliseconds = z.int().positive()

export const resumeSchema = z
  .strictObject({
    mode: z.enum(['auto', 'never']),
    contextThreshold: z.number().gt(0).lte(1),
    onWorkDirChange: z.enum(['replay', 'relocate']),
    maxFruitlessResumes: z.int().positive(),
    maxSessionAgeMs: milliseconds.nullable(),
    whenUnknown: z.enum(['replay', 'resume']),
    replay: z.enum(['native', 'prompt']),
    drift: z.enum(['tell', 'off']),
    carry: z.enum(CARRIES),
  })
  .partial()

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, 'a name is made of letters, digits, `.`, `_` and `-`')

export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*\*?$/, 'not the name of a variable')

const agentSchema = z
  .strictObject({
    adapter: z.string().min(1),
    executable: z.string().min(1),
    command: z.array(z.string().min(1)).min(1),
    model: z.string().min(1),
    permissionMode: z.string().min(1),
    env: z.record(variable, z.string()),
    passEnv: z.array(variable),
    trust: z.enum(TRUSTS),
    sandbox: z.enum(SANDBOX_MODES),
    mcpServers: z.array(z.string().min(1)),
    subagents: z.array(z.string().min(1)),
  })
  .partial()

const sessionsSchema = z
  .strictObject({
    pauseAfterMs: milliseconds,
    expireAfterMs: milliseconds.nullable(),
    sweepEveryMs: milliseconds,
  })
  .partial()

const vaultSchema = z.strictObject({ maxBytes: z.int().positive().nullable() }).partial()

const questionsSchema = z.strictObject({ expireAfterMs: milliseconds }).partial()

const checkpointsSchema = z
  .strictObject({ keepDays: z.number().nonnegative().nullable() })
  .partial()

const workspacesSchema = z
  .strictObject({ keepMs: milliseconds.nullable(), maxBytes: z.int().positive() })
  .partial()

const limitsSchema = z
  .strictObject({ firstEventMs: milliseconds, silenceMs: milliseconds, totalMs: milliseconds })
  .partial()

const warmSchema = z
  .strictObject({
    idleMs: milliseconds,
    max: z.int().nonnegative(),
    maxRssMb: z.int().positive(),
    maxAgeMs: milliseconds,
  })
  .partial()

const daemonSchema = z
  .strictObject({ logLevel: z.enum(LOG_LEVELS), drainMs: z.int().nonnegative() })
  .partial()

const workerSchema = z
  .strictObject({
    labels: z.array(z.string().refine(isLabel, `a label is made of ${LABEL_WORDS}`)),
    sharedRoots: z.array(z.string().min(1)),
    concurrency: z.int().positive(),
  })
  .partial()

const dropInSchema = z
  .strictObject({ whenBusy: z.enum(WHEN_BUSY), waitMs: z.int().nonnegative() })
  .partial()

const telemetrySchema = z.strictObject({ module: z.string().min(1) })

const policies = z.record(name, z.string().min(1))

export const userSchema = z
  .strictObject({
    defaultAgent: name,
    agents: z.record(name, agentSchema),
    resume: resumeSchema,
    sessions: sessionsSchema,
    vault: vaultSchema,
    questions: questionsSchema,
    maxRunning: z.int().positive(),
    checkpoints: checkpointsSchema,
    workspaces: workspacesSchema,
    limits: limitsSchema,
    warm: warmSchema,
    daemon: daemonSchema,
    database: z.string().min(1),
    host: z.string().refine(isHostId, HOST_ID_HINT),
    worker: workerSchema,
    dropIn: dropInSchema,
    telemetry: telemetrySchema,
    policies,
  })
  .partial()

/** What a repository may set: thresholds, policies and models, never what is executed. */
export const projectSchema = z
  .strictObject({
    agents: z.record(name, z.strictObject({ model: z.string().min(1) }).partial()),
    resume: resumeSchema,
    policies,
  })
  .partial()

export type UserFile = Defined<z.infer<typeof userSchema>>
export type ProjectFile = Defined<z.infer<typeof projectSchema>>

/** YAML has no `undefined`: a key has a value, or it is missing. */
type Defined<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: Defined<Exclude<T[K], undefined>> }
    : T
