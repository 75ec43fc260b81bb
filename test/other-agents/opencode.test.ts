// The real program of opencode under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('opencode')
