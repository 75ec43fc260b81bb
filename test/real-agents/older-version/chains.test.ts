// `npm test` runs these scenarios on the newest version only; `npm run test:storms` runs them on the older one.
import { escalationScenarios } from '../../scenarios/threads/threads.ts'

escalationScenarios('2.1.197')
