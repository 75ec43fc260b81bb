// A chain that is held or broken off: what its tier found, and what the next one may do and cost.
import { Fragment } from 'preact'
import type { Chain } from '../../../src/api.ts'
import { Findings } from '../../content/findings.tsx'
import { sentence } from '../../data/act.ts'
import { useChainActs } from '../../data/chain-acts.ts'
import { Button } from '../../parts/button.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'
import { NextTier } from '../chain/next-tier.tsx'
import { ItemFrame, type ItemProps } from './item.tsx'
import { useThreadTitle } from './where.tsx'

type Props = ItemProps & { readonly chain: Chain; readonly since: number }

export function ChainItem({ chain, since, ...item }: Props) {
  const acts = useChainActs(chain)
  const { goOn } = acts
  const last = chain.runs.findLast(({ verdict }) => verdict !== null)
  const done = async (acted: Promise<boolean>) => {
    if (await acted) item.onDone()
  }
  const canGoOn = goOn !== null && goOn.whyNot === null
  const onGoOn = () => void done(acts.onGoOn())
  const onCancel = () => void done(acts.onCancel())
  const verb = goOn?.verb === 'continue' ? 'Continue' : 'Approve'
  useShortcut('a', `${verb} the chain`, item.isFocused && canGoOn ? onGoOn : null)
  useShortcut('c', 'Cancel the chain', item.isFocused && acts.canCancel ? onCancel : null)
  const isBroken = goOn?.verb === 'continue'
  const keys = (key: string) => (item.isFocused ? { keys: key } : {})
  return (
    <ItemFrame
      {...item}
      icon={isBroken ? 'broken' : 'held'}
      hue="warn"
      kind={isBroken ? 'Chain broken off' : 'Chain held'}
      since={since}
      title={titleOf(chain, goOn)}
      href={`/chains/${chain.id}`}
      where={<WhereOfChain chain={chain} />}
    >
      <p class="muted">{sentence(chain.words)}</p>
      <div class="found-and-next">
        <section>
          <h3>What tier {last?.tier ?? chain.tier} found</h3>
          <Findings verdict={last?.verdict ?? null} />
        </section>
        {goOn && (
          <section>
            <h3>What tier {goOn.tier} may do, and cost</h3>
            <NextTier chain={chain} tier={goOn.tier} />
          </section>
        )}
      </div>
      <div class="form-actions">
        <Button
          kind={item.isFocused ? 'filled' : 'plain'}
          scope="person"
          whyNot={goOn?.whyNot}
          onClick={onGoOn}
          {...keys('A')}
        >
          {verb} tier {goOn?.tier}
        </Button>
        {acts.canCancel && (
          <Button kind="danger" scope="submit" onClick={onCancel} {...keys('C')}>
            Cancel chain
          </Button>
        )}
        {isBroken && (
          <Button kind="quiet" onClick={item.onDismiss}>
            Dismiss
          </Button>
        )}
        <a class="button quiet" href={`/chains/${chain.id}`}>
          Open chain
          {item.isFocused && (
            <span class="key keys" aria-hidden="true">
              O
            </span>
          )}
        </a>
      </div>
    </ItemFrame>
  )
}

function titleOf(chain: Chain, goOn: ReturnType<typeof useChainActs>['goOn']): string {
  if (goOn?.verb === 'continue') return `Continue tier ${goOn.tier}, which was broken off?`
  const { code, tier } = chain.because
  const mayEnter = code === 'approval-needed' || (code === 'tier-cooling' && goOn?.whyNot === null)
  if (mayEnter) return `Let the chain into tier ${tier}?`
  return 'The chain is held'
}

function WhereOfChain({ chain }: { readonly chain: Chain }) {
  const title = useThreadTitle(chain.threadId)
  return (
    <Fragment>
      <dt>Chain</dt>
      <dd>
        <a class="link" href={`/chains/${chain.id}`}>
          {title ?? chain.prompt.slice(0, 80)}
        </a>
      </dd>
      <dt>Policy</dt>
      <dd>
        {chain.policy}, ceiling tier {chain.maxTier}
      </dd>
      <dt>Agent</dt>
      <dd>{chain.agent}</dd>
      <dt>Work dir</dt>
      <dd class="mono">{chain.workDir}</dd>
    </Fragment>
  )
}
