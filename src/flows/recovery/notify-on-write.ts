// Wraps the store and notifies after every write of events, so that followers in this process need not wait for the next look.
import type { Store } from '../../store/contract/store.ts'

export function notifyOnWrite<Kind extends Store>(store: Kind, notify: () => void): Kind {
  const notifying =
    <Input extends readonly unknown[], Output>(verb: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      const output = await verb(...input)
      notify()
      return output
    }
  const { presence } = store
  return {
    ...store,
    ...(presence && {
      presence: {
        ...presence,
        waiting: (signal: AbortSignal) => notifyOnWrite(presence.waiting(signal), notify),
      },
    }),
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
