// Wraps the store and notifies after every write of events, so that followers in this process need not wait for the next look.
import type { StoreWithWork } from '../../store/contract/store.ts'

export function notifyOnWrite(store: StoreWithWork, notify: () => void): StoreWithWork {
  const notifying =
    <Input extends readonly unknown[], Output>(verb: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      const output = await verb(...input)
      notify()
      return output
    }
  return {
    ...store,
    submitTurn: notifying(store.submitTurn),
    submitAndClaim: notifying(store.submitAndClaim),
    startChain: notifying(store.startChain),
    resumeChain: notifying(store.resumeChain),
    startRun: notifying(store.startRun),
    appendEvents: notifying(store.appendEvents),
    endRun: notifying(store.endRun),
    requestCancel: notifying(store.requestCancel),
    abandonQueued: notifying(store.abandonQueued),
    askQuestion: notifying(store.askQuestion),
    answerQuestion: notifying(store.answerQuestion),
    expireQuestion: notifying(store.expireQuestion),
  }
}
