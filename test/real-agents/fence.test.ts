import { fenceScenarios } from '../scenarios/chains/fence.ts'

fenceScenarios('2.1.325')
