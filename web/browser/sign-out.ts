// Signs this browser out.
import { http } from '../data/client.ts'
import { forgetKey } from './sign-in.ts'

/** The key is forgotten also when the daemon cannot be reached. */
export async function signOut(): Promise<void> {
  await http.ask('POST', '/api/logout', { body: {} }).catch(() => {})
  forgetKey()
}
