// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { fenceScenarios } from '../../scenarios/chains/fence.ts'

fenceScenarios('2.1.197')
