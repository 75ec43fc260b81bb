// The real program of opencode under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('opencode')
