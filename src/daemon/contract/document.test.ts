import { expect, test } from 'vitest'
import { chainSchema } from './chain.ts'
import { openApiDocument } from './document.ts'
import { runEventSchema } from './event.ts'
import { sampleEvents } from './event-samples.ts'
import { jobSchema } from './job.ts'
import { ROUTES } from './routes/routes.ts'
import { runSchema } from './run.ts'
import { sessionSchema, threadSchema } from './thread.ts'

const document = JSON.parse(JSON.stringify(openApiDocument('1.2.3')))

type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}
const operations = Object.values<Record<string, Operation>>(document.paths).flatMap(path =>
  Object.values(path),
)

/** Programs have generated functions with these names. Add to the list; never change or remove a name. */
const STABLE = [
  ...['createThread', 'listThreads', 'adoptThread', 'getThread', 'renameThread', 'removeThread'],
  ...['sendTurn', 'previewTurn', 'forkThread', 'editMessage', 'truncateThread', 'retryMessage'],
  ...[
    'selectMessage',
    'listRuns',
    'getRun',
    'runResult',
    'whyRun',
    'runPrompt',
    'runEvents',
    'turnEvents',
  ],
  ...['cancelRun', 'runQuestions', 'answerQuestion', 'listQuestions', 'events', 'submitJob'],
  ...['listJobs', 'getJob', 'removeJob', 'waitForJob', 'jobEvents', 'retryJob', 'cancelJob'],
  ...['pruneCheckpoints', 'checkpointDiff', 'restoreJob', 'chainOfRun', 'startChain', 'listChains'],
  ...['getChain', 'approveChain', 'continueChain', 'cancelChain', 'listPolicies'],
  ...['createSchedule', 'listSchedules', 'removeSchedule', 'listSessions', 'getSession'],
  ...['archiveSession', 'me', 'listAgents', 'savings', 'health', 'metrics', 'openApi'],
]

test('U-1 operation ids stay, and each belongs to one tag that the document explains', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(STABLE.filter(id => !ids.includes(id))).toEqual([])
  expect(new Set(ids).size).toBe(Object.keys(ROUTES).length)
  const explained = document.tags.map(({ name }: { name: string }) => name)
  for (const { operationId, tags } of operations) {
    expect(tags, operationId).toHaveLength(1)
    expect(explained, operationId).toContain(tags[0])
  }
  const used = new Set(operations.flatMap(({ tags }) => tags))
  expect(explained.filter((name: string) => !used.has(name))).toEqual([])
})

test('U-1 the document names the server, and every body that a route takes has an example', () => {
  expect(document.servers).toMatchObject([{ url: 'http://127.0.0.1:{port}' }])
  const { schemas } = document.components
  const bodies = [
    ...JSON.stringify(document.paths).matchAll(/"requestBody":\{[^}]*?"\$ref":"([^"]+)"/g),
  ]
  expect(bodies.length).toBeGreaterThan(10)
  for (const [, reference = ''] of bodies) {
    const name = reference.split('/').at(-1) ?? ''
    expect(schemas[name]?.examples ?? [], `add an example of ${name} to examples.ts`).toHaveLength(
      1,
    )
  }
})

test.each([
  ['Thread', threadSchema],
  ['Run', runSchema],
  ['Chain', chainSchema],
  ['Job', jobSchema],
  ['Session', sessionSchema],
] as const)('U-1 a %s has an example, and its schema accepts it', (name, schema) => {
  const [example] = document.components.schemas[name]?.examples ?? []
  expect(schema.safeParse(example)).toMatchObject({ success: true })
})

test('U-6 streams name the shape of their frames, and lists have the same events', () => {
  const streams = operations.filter(({ responses }) =>
    JSON.stringify(responses).includes('text/event-stream'),
  )
  expect(streams.map(({ operationId }) => operationId)).toEqual([
    'runEvents',
    'turnEvents',
    'events',
    'jobEvents',
  ])
  for (const { operationId, responses } of streams) {
    const content = responses['200']?.content
    expect(content, operationId).toMatchObject({
      'text/event-stream': {
        schema: { $ref: expect.stringMatching(/(?:Run|Feed)StreamData$/) },
        examples: { frames: { value: expect.stringMatching(/^id: \S+\ndata: \{.*\}\n\n/) } },
      },
      'application/json': {},
    })
  }
})

test('U-6 the samples of events fit the schema, and a field that may be missing is not required', () => {
  for (const event of sampleEvents()) expect(runEventSchema.parse(event)).toEqual(event)
  const { RunEvent } = document.components.schemas
  const kinds = [...(RunEvent.oneOf ?? RunEvent.anyOf)]
  const result = kinds.find(({ properties }) => properties.type.enum?.[0] === 'tool-result')
  expect(Object.keys(result.properties)).toContain('outcomeUnknown')
  expect(result.required).not.toContain('outcomeUnknown')
})

test('U-1 a session whose evidence nobody knows yet is no breach of the document', () => {
  const { required } = document.components.schemas.Facts.properties.sessions.items
  expect(required).toContain('workDir')
  expect(required).not.toContain('evidence')
})
