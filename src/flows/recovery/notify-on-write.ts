// Wraps the store and notifies after every write of events, so that followers in this process need not wait for the next look.
import type { Store } from '../../store/contract/store.ts'

export function notifyOnWrite(store: Store, tell: () => void): Store {
  const told =
    <Input extends readonly unknown[], Output>(verb: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      const output = await verb(...input)
      tell()
      return output
    }
  return {
    ...store,
    submitTurn: told(store.submitTurn),
    submitAndClaim: told(store.submitAndClaim),
    startChain: told(store.startChain),
    resumeChain: told(store.resumeChain),
    startRun: told(store.startRun),
    appendEvents: told(store.appendEvents),
    endRun: told(store.endRun),
    requestCancel: told(store.requestCancel),
    abandonQueued: told(store.abandonQueued),
    askQuestion: told(store.askQuestion),
    answerQuestion: told(store.answerQuestion),
    expireQuestion: told(store.expireQuestion),
  }
}
