// Switches notifications of the browser on and off.
import { notifyState, toggleNotifications } from '../../browser/notify.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'

export function NotifyButton() {
  const state = notifyState.value
  const whyNot =
    state === 'refused'
      ? 'This browser refuses notifications of this page. Its settings of the page can allow them.'
      : null
  if (state === 'unsupported') return null
  return (
    <Button kind="quiet" whyNot={whyNot} onClick={() => void toggleNotifications()}>
      <Icon name="bell" />
      {state === 'on' ? 'Notifications on' : 'Notify me'}
    </Button>
  )
}
