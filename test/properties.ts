// fast-check with the same chances every time; `REPRISE_SEED=random` looks for new ones.
import fc from 'fast-check'
import { chosenSeed } from './counts.ts'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: chosenSeed() })

export { fc }
