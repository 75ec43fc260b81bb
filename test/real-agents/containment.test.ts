import { containmentScenarios } from '../scenarios/threads/containment.ts'

containmentScenarios('2.1.325')
