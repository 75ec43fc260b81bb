// An address that leads nowhere.
import { Empty } from '../parts/states.tsx'
import { View } from '../shell/view.tsx'

export function NotFound() {
  return (
    <View title="Not found">
      <Empty icon="search" title="There is nothing at this address" next={['Open the inbox', '/']}>
        Ctrl K finds places, ids and threads by name.
      </Empty>
    </View>
  )
}
