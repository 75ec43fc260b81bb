// Places where bash runs the content of a variable or a quoted text: arithmetic runs `$(…)` in an index that it gets as text.
import {
  type AndOr,
  type ArithmeticExpression,
  type ArithmeticFor,
  forEachChild,
  type ParameterExpansionPart,
  type Script,
  type SyntaxNode,
} from 'unbash'
import { RUNNING_VARIABLE } from '../core/fence/started-commands.ts'
import {
  countsOnly,
  isNumberSet,
  numbersOf,
  numbersSetBy,
  numbersSetIn,
  spoiledIn,
} from './known-numbers.ts'
import { namesByText } from './naming-builtins.ts'
import { isInteger, isPlain, isSubscript, type Numbers } from './plain-arithmetic.ts'

/** The place decides, not the text: in arithmetic only numbers are safe. */
export function runsText(script: Script): boolean {
  const spoiled = spoiledIn(script)
  const arrays = arraysIn(script)
  const unspoiled = (names: readonly string[]) =>
    spoiled.all ? [] : names.filter(name => !spoiled.names.has(name))
  const withNumbers = (numbers: Numbers, names: readonly string[]): Numbers => {
    const more = unspoiled(names).filter(name => !numbers.has(name))
    return more.length === 0 ? numbers : new Set([...numbers, ...more])
  }

  const walk = (node: SyntaxNode, numbers: Numbers): boolean => {
    if (node.type === 'Script' || node.type === 'CompoundList') {
      const inner = new Set(numbers)
      return node.commands.some(statement => {
        const found = walk(statement, inner)
        for (const name of unspoiled(numbersSetBy(statement))) inner.add(name)
        return found
      })
    }
    if (node.type === 'AndOr') return walkAndOr(node, numbers)
    if (node.type === 'ArithmeticFor') return walkFor(node, numbers)
    if (isRun(node, numbers)) return true
    const counts = node.type === 'For' && countsOnly(node.wordlist)
    const inner = counts ? withNumbers(numbers, [node.name.text]) : numbers
    let found = false
    forEachChild(node, child => {
      found ||= walk(child, inner)
    })
    return found
  }

  /** After `&&`, everything before it has run; after `||`, only the first command surely has. */
  const walkAndOr = ({ commands, operators }: AndOr, numbers: Numbers): boolean => {
    let [always, now] = [numbers, numbers]
    return commands.some((command, at) => {
      if (operators[at - 1] === '||') now = always
      const found = walk(command, now)
      const isSure = operators[at - 1] !== '||'
      if (isSure) now = withNumbers(now, numbersOf(command))
      if (at === 0) always = now
      return found
    })
  }

  const walkFor = ({ initialize, test, update, body }: ArithmeticFor, numbers: Numbers) => {
    const unsafe = (part: ArithmeticExpression | undefined, known: Numbers) =>
      part !== undefined && !isPlainExpression(part, known)
    const inner = withNumbers(numbers, initialize ? numbersIn(initialize) : [])
    const header = unsafe(initialize, numbers) || unsafe(test, inner) || unsafe(update, inner)
    return header || walk(body, inner)
  }

  /** The node by itself, without its children. */
  const isRun = (node: SyntaxNode, numbers: Numbers): boolean => {
    switch (node.type) {
      case 'ArithmeticExpansion':
        return !isPlain(node.text.replace(/^\$(?:\(\(|\[)|(?:\)\)|\])$/g, ''), numbers)
      case 'ArithmeticCommand':
        return !isPlain(node.body, numbers)
      case 'ParameterExpansion':
        return isRunParameter(node, numbers)
      case 'TestBinary':
        if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) return false
        return !isPlain(node.left.text, numbers) || !isPlain(node.right.text, numbers)
      case 'TestUnary':
        return node.operator === '-v' && !/^\w+$/.test(node.operand.text)
      case 'Assignment':
        if (node.index !== undefined && !isSubscript(node.index.text, numbers)) return true
        return isInteger(node.name) && !isNumberSet(node)
      case 'ArrayValue':
        return node.elements.some(({ text }) => {
          const [, index] = /^\[(.*?)\]\+?=/s.exec(text) ?? []
          return index !== undefined && !isSubscript(index, numbers)
        })
      case 'FileDescriptorVariable':
        return node.name.includes('[')
      case 'For':
      case 'Select':
        return isInteger(node.name.text)
      case 'Command':
        return namesByText(node, { numbers, arrays })
      default:
        return false
    }
  }
  return walk(script, new Set())
}

/** `${a[x]}`, `${a:x}`, `${!a}` and `${a@P}`. */
function isRunParameter(
  { prefix, index, operation, parameter }: ParameterExpansionPart,
  numbers: Numbers,
): boolean {
  const isWhole = index?.text === '@' || index?.text === '*'
  if (index !== undefined && !isSubscript(index.text, numbers)) return true
  if (prefix === '!' && !isWhole && operation?.type !== 'Names') return true
  const isRunLater = isInteger(parameter) || RUNNING_VARIABLE.test(parameter)
  if (operation?.operator.endsWith('=') && isRunLater) return true
  switch (operation?.type) {
    case 'Slice':
      return [operation.offset, operation.length].some(
        part => part !== undefined && !isPlain(part.text, numbers),
      )
    case 'Transform':
      return !/^[AEKLQUaku]$/.test(operation.operand.text)
    case 'Unknown':
      return true
    default:
      return false
  }
}

function isPlainExpression(node: ArithmeticExpression, numbers: Numbers): boolean {
  const plain = (part: ArithmeticExpression) => isPlainExpression(part, numbers)
  switch (node.type) {
    case 'ArithmeticCommandExpansion':
      return false
    case 'ArithmeticWord':
      return isPlain(node.value, numbers)
    case 'ArithmeticGroup':
      return plain(node.expression)
    case 'ArithmeticUnary':
      return plain(node.operand)
    case 'ArithmeticTernary':
      return plain(node.test) && plain(node.consequent) && plain(node.alternate)
    case 'ArithmeticBinary': {
      const isSet = node.operator === '=' && numbersIn(node).length > 0
      return (isSet || plain(node.left)) && plain(node.right)
    }
  }
}

function numbersIn(node: ArithmeticExpression): readonly string[] {
  if (node.type !== 'ArithmeticBinary') return []
  if (node.operator === ',') return [...numbersIn(node.left), ...numbersIn(node.right)]
  const { left } = node
  return node.operator === '=' && left.type === 'ArithmeticWord'
    ? numbersSetIn(`${left.value}=`)
    : []
}

/** Names that are arrays somewhere in the line. */
function arraysIn(script: Script): ReadonlySet<string> {
  const names = new Set<string>()
  const see = (node: SyntaxNode): void => {
    if (node.type === 'Assignment' && (node.index || node.value.type === 'ArrayValue')) {
      names.add(node.name)
    }
    if (
      node.type === 'Command' &&
      /^(?:declare|local|mapfile|read|readarray|typeset)$/.test(node.name?.value ?? '')
    ) {
      for (const part of node.args) if (part.type === 'Word') names.add(part.value)
    }
    forEachChild(node, see)
  }
  see(script)
  return names
}
