// Chains: every escalation, newest first, with how far it went, what it cost and why it is where it is.
import type { Chain } from '../../src/api.ts'
import { CHAIN_STATUSES } from '../../src/core/chain/supervise.ts'
import { sentence } from '../data/act.ts'
import { useFilters } from '../data/filters.ts'
import { useList } from '../data/list.ts'
import { costSum, count } from '../format.ts'
import { FilterSelect } from '../lists/filter-select.tsx'
import { ListEnd } from '../lists/list-end.tsx'
import { SavedViews, SaveView } from '../lists/saved-views.tsx'
import { Button } from '../parts/button.tsx'
import { ChainStanding } from '../parts/chain-standing.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { View } from '../shell/view.tsx'
import { StartChain } from './chain/start-chain.tsx'

export function Chains() {
  const filters = useFilters()
  const status = filters.get('status')
  const policy = filters.get('policy')
  const { value, error, refresh, more } = useList<Chain>('/api/chains', { status, policy }, [
    'chains',
  ])
  const isFiltered = Boolean(status ?? policy)
  const start = () => filters.set({ start: 'yes' })
  useShortcut('n', 'Start a chain', start)
  return (
    <View
      title="Chains"
      beside={<span class="muted">{value && count(value.total ?? value.items.length)}</span>}
      actions={
        <Button kind="filled" scope="submit" keys="N" onClick={start}>
          <Icon name="plus" />
          Start a chain
        </Button>
      }
    >
      <SavedViews />
      <search class="filter-bar" hidden={value?.items.length === 0 && !isFiltered}>
        <FilterSelect name="status" label="Status" values={CHAIN_STATUSES} />
        {policy !== undefined && (
          <Button onClick={() => filters.set({ policy: undefined })}>
            policy {policy}
            <Icon name="no" />
          </Button>
        )}
        <SaveView />
      </search>
      <div class="view-scroll">
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton />}
        {value?.items.length === 0 && <NoChains isFiltered={isFiltered} />}
        {value && value.items.length > 0 && (
          <>
            <ChainTable chains={value.items} />
            <ListEnd list={value} more={more} command="reprise chains --json" />
          </>
        )}
      </div>
      {filters.get('start') !== undefined && <StartChain />}
    </View>
  )
}

function NoChains({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    const next = ['Show all chains', '/chains'] as const
    return <Empty icon="search" title="No chain matches these filters" next={next} />
  }
  const command = 'reprise escalate -p ops "Check the health of all services"'
  return (
    <Empty icon="chains" title="No chains yet" command={command}>
      A chain begins with a small model that only looks. When that does not solve the task, it asks
      for the next tier. Start one here, or in a terminal.
    </Empty>
  )
}

function ChainTable({ chains }: { readonly chains: readonly Chain[] }) {
  return (
    <table class="rows work-rows">
      <thead>
        <tr>
          <th class="work-status">Status</th>
          <th>Task</th>
          <th class="wide" style={{ width: '88px' }}>
            Policy
          </th>
          <th class="not-on-phones" style={{ width: '72px' }}>
            Tiers
          </th>
          <th class="number not-on-phones" style={{ width: '80px' }}>
            Cost
          </th>
          <th class="wide" style={{ width: '30%' }}>
            Why
          </th>
          <th class="number work-when">Started</th>
        </tr>
      </thead>
      <tbody>
        {chains.map(chain => (
          <tr key={chain.id}>
            <td>
              <ChainStanding chain={chain} />
            </td>
            <td class="work-task" title={chain.prompt}>
              <a class="row-link" href={`/chains/${chain.id}`}>
                {chain.prompt}
              </a>{' '}
              {chain.dryRun && <span class="chip plain">dry run</span>}
            </td>
            <td class="wide muted">{chain.policy}</td>
            <td class="not-on-phones">
              {chain.tier} of {chain.maxTier}
            </td>
            <td class="number not-on-phones">{costSum(chain.totals)}</td>
            <td class="wide meta" title={sentence(chain.words)}>
              {sentence(chain.words)}
            </td>
            <td class="number muted">
              <Time at={chain.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
