// A view of one thing by its id. Two things of one kind share no state: what somebody typed for one thread must not be sent to another.
import type { ComponentType } from 'preact'
import { useRoute } from 'preact-iso'

export function byId(View: ComponentType<{ readonly id: string }>) {
  return function ById() {
    const { id = '' } = useRoute().params
    return <View key={id} id={id} />
  }
}
