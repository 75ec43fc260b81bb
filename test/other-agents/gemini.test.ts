// The real program of gemini under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('gemini')
