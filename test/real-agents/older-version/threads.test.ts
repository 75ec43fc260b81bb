// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { interruptionScenarios, threadTurnScenarios } from '../../scenarios/threads/threads.ts'

threadTurnScenarios('2.1.197')
interruptionScenarios('2.1.197')
