// `reprise/testing`: the fakes and conformance suites of Reprise, for tests of your own.
import '../node-version.ts'

export { type AdapterCase, adapterConformance, type Expected } from './adapter-conformance.ts'
export type { EngineCase, EngineWorld } from './engine-conformance/case.ts'
export { ENGINE_CASES } from './engine-conformance/cases.ts'
export { engineConformance } from './engine-conformance.ts'
export { fakeAgentExecutable, readJournal, writeFakeScript } from './fake-agent/executable.ts'
export type { JournalEntry, SaidLine } from './fake-agent/journal.ts'
export type { FakeScript, FakeTurn, ScriptStep, TextPiece } from './fake-agent/script.ts'
export type { WritableFiles } from './fake-agent/world.ts'
export {
  createFakeRunner,
  type FakeRunner,
  type FakeRunnerOptions,
  memoryExecutable,
} from './fake-runner.ts'
export { type MemoryFiles, memoryFiles } from './memory-files.ts'
export { DEFAULT_PRICES, type PriceTable } from './model-api/prices.ts'
export { realAgentEnv } from './model-api/real-agent-env.ts'
export {
  createHold,
  dropReply,
  errorReply,
  type Hold,
  heldReply,
  messageReply,
  type Piece,
  type ReplyBlock,
  type ScriptedReply,
  silentReply,
  textReply,
  toolReply,
} from './model-api/replies.ts'
export {
  type BilledUsage,
  lastTextOf,
  type ModelRequest,
  type RequestMessage,
  type RequestPart,
  type RequestPurpose,
  requestTexts,
  type WireName,
} from './model-api/request.ts'
export {
  type Billed,
  type ModelApi,
  type ModelApiOptions,
  type Responder,
  startModelApi,
} from './model-api/server.ts'
export { STORE_CASES, storeConformance } from './store-conformance.ts'
export type { VaultCase, VaultWorld } from './vault-conformance/case.ts'
export { VAULT_CASES, vaultConformance } from './vault-conformance.ts'
