// Copies a store, and kills itself at the first step that matches the pattern.
import { flushCompileCache } from 'node:module'
import { copyWholeStore } from '../../../src/copy/copy-whole-store.ts'
import { storePlace } from '../../../src/copy/store-place.ts'

const [from = '', to = '', pattern = ''] = process.argv.slice(2)
const killAt = new RegExp(pattern)
// A killed process stores no compiled code for the next one, so it is stored now.
flushCompileCache()
await copyWholeStore({
  from: storePlace(from, '/'),
  to: storePlace(to, '/'),
  onProgress({ step, done }) {
    if (killAt.test(`${step} ${done}`)) process.kill(process.pid, 'SIGKILL')
  },
})
