import type { Node } from 'web-tree-sitter'
import { isTrue, operators, requireList, requireText, Table, type Value } from './operators.ts'
import { WindowsError, type World } from './world.ts'

class Return extends Error {}
class Exit extends Error {
  readonly status: number
  constructor(status: number) {
    super()
    this.status = status
  }
}

/**
 * Plays a script: what it writes, and its exit status. It knows the part of PowerShell that our scripts are written in,
 * and throws at anything else. No PowerShell runs where these tests run; this plays their logic, not Windows.
 */
export function playScript(program: Node, world: World): { status: number; stdout: string } {
  const player = new Player(world)
  let status = 0
  try {
    player.runAll(program)
  } catch (signal) {
    if (signal instanceof Exit) status = signal.status
    else if (!(signal instanceof Return)) throw signal
  }
  return { status, stdout: player.output.map((value) => `${value}\n`).join('') }
}

class Player {
  output: Value[] = []
  readonly #world: World
  readonly #functions = new Map<string, Node>()
  readonly #scopes: Map<string, Value>[] = [new Map()]

  constructor(world: World) {
    this.#world = world
  }

  runAll(node: Node): void {
    for (const child of node.namedChildren) this.#run(child)
  }

  #run(node: Node): void {
    switch (node.type) {
      case 'statement_list':
      case 'statement_block':
      case 'script_block':
      case 'script_block_body':
        this.runAll(node)
        return
      case 'comment':
      case 'empty_statement':
        return
      case 'function_statement':
        this.#functions.set(node.namedChildren[0]!.text.toLowerCase(), node)
        return
      case 'if_statement':
        if (isTrue(this.#evaluate(node.namedChildren[0]!))) this.#run(node.namedChildren[1]!)
        return
      case 'foreach_statement':
        this.#runLoop(node.namedChildren as [Node, Node, Node])
        return
      case 'try_statement':
        this.#runTry(node.namedChildren as [Node, Node])
        return
      case 'flow_control_statement':
        this.#leave(node)
        return
      case 'pipeline':
        this.#emit(this.#evaluate(node))
        return
      default:
        throw new Error(`${node.type} is not known: ${node.text}`)
    }
  }

  #runLoop([variable, list, block]: [Node, Node, Node]): void {
    for (const item of requireList(this.#evaluate(list))) {
      this.#assign(variable.text, item)
      this.#run(block)
    }
  }

  #runTry([block, clauses]: [Node, Node]): void {
    try {
      this.#run(block)
    } catch (error) {
      if (!(error instanceof WindowsError)) throw error
      this.#assign('$_', { Exception: { Message: error.message } })
      this.#run(clauses.namedChildren[0]!.namedChildren[0]!)
    }
  }

  #leave(node: Node): never {
    const value = this.#evaluate(node.namedChildren[0]!)
    if (node.children[0]!.text === 'exit') throw new Exit(Number(value))
    this.#emit(value)
    throw new Return()
  }

  /** A list is written item by item; nothing is not written. */
  #emit(value: Value): void {
    if (Array.isArray(value)) this.output.push(...value)
    else if (value !== undefined && value !== null) this.output.push(value)
  }

  #evaluate(outer: Node): Value {
    let node = outer
    while (node.type !== 'command' && node.childCount === 1 && node.namedChildCount === 1) node = node.namedChildren[0]!
    const [first, second] = node.namedChildren as [Node, Node]
    switch (node.type) {
      case 'verbatim_string_characters':
        return node.text.slice(1, -1).replaceAll("''", "'")
      case 'decimal_integer_literal':
      case 'hexadecimal_integer_literal':
        return Number(node.text)
      case 'generic_token':
        return node.text
      case 'variable':
        return this.#look(node.text)
      case 'parenthesized_expression':
        return this.#evaluate(first)
      case 'array_expression':
        return node.namedChildCount === 0 ? [] : this.#capture(() => this.#run(first))
      case 'array_literal_expression':
        return node.namedChildren.map((child) => this.#evaluate(child))
      case 'hash_literal_expression':
        return this.#createTable(first)
      case 'assignment_expression':
        return this.#runAssignment(node)
      case 'expression_with_unary_operator':
        return !isTrue(this.#evaluate(first))
      case 'cast_expression':
        return this.#cast(first.text, this.#evaluate(second))
      case 'type_literal':
        return this.#findType(node.text)
      case 'element_access':
        return (this.#evaluate(first) as Table).get(this.#evaluate(second))
      case 'member_access':
        return this.#member(this.#evaluate(first), second.text)
      case 'invokation_expression':
        return this.#invoke(node)
      case 'command':
        return this.#runCommand(node)
      case 'pipeline_chain':
        return this.#runCommand(second, this.#evaluate(first))
      default:
        return this.#operate(node)
    }
  }

  #createTable(body: Node): Table {
    const table = new Table()
    for (const { namedChildren } of body.namedChildren) {
      table.set(this.#evaluate(namedChildren[0]!), this.#evaluate(namedChildren[1]!))
    }
    return table
  }

  /** `-and` leaves its right side alone where the left one decides. */
  #operate(node: Node): Value {
    const [left, sign, right] = node.children as [Node, Node, Node]
    if (sign?.text === '-and') return isTrue(this.#evaluate(left)) && isTrue(this.#evaluate(right))
    const operator = operators[sign?.text ?? '']
    if (!operator || node.childCount !== 3) throw new Error(`${node.type} is not known: ${node.text}`)
    return operator(this.#evaluate(left), this.#evaluate(right))
  }

  #runAssignment(node: Node): undefined {
    const [target, sign, source] = node.namedChildren as [Node, Node, Node]
    const added = this.#evaluate(source)
    const value = sign.text === '+=' ? operators['+']!(this.#evaluate(target), added) : added
    const element = /^(\$\w+)\[/.exec(target.text)
    if (!element) return this.#assign(target.text, value)
    const access = target.descendantsOfType('element_access')[0]!.namedChildren[1]!
    ;(this.#look(element[1]!) as Table).set(this.#evaluate(access), value)
  }

  #cast(type: string, value: Value): Value {
    if (type === '[char]') return String.fromCharCode(Number(value))
    if (type === '[int]') return Number(value)
    throw new Error(`the cast ${type} is not known`)
  }

  #findType(literal: string): object {
    const type = this.#world.types[literal.slice(1, -1)]
    if (!type) throw new Error(`the type ${literal} is not known`)
    return type
  }

  #member(owner: Value, name: string): Value {
    if (Array.isArray(owner) && name === 'Count') return owner.length
    if (typeof owner === 'string' && name === 'Length') return owner.length
    if (typeof owner === 'object' && owner !== null && name in owner) return (owner as Record<string, Value>)[name]
    throw new Error(`there is no member ${name}`)
  }

  #invoke(node: Node): Value {
    const [owner, name, list] = node.namedChildren as [Node, Node, Node]
    const target = this.#evaluate(owner)
    const values = (list.namedChildren[0]?.namedChildren ?? []).map((argument) => this.#evaluate(argument))
    if (typeof target === 'string') return callOnText(target, name.text, values)
    return (this.#member(target, name.text) as (...all: Value[]) => Value).apply(target, values)
  }

  #runCommand(node: Node, piped?: Value): Value {
    const name = node.namedChildren[0]!.text.toLowerCase()
    const own = this.#functions.get(name)
    const { positional, named } = this.#readArguments(node.namedChildren[1])
    if (own) return this.#call(own, positional)
    const command = this.#world.commands[name]
    if (!command) throw new Error(`the command ${name} is not known`)
    return command({ ...named, value: piped ?? positional[0] })
  }

  #readArguments(elements: Node | undefined) {
    const [positional, named]: [Value[], Record<string, Value>] = [[], {}]
    let parameter: string | undefined
    for (const node of elements?.namedChildren ?? []) {
      if (node.type === 'command_argument_sep') continue
      if (node.type === 'command_parameter') {
        parameter = node.text.slice(1)
        named[parameter] = true
      } else if (parameter === undefined) positional.push(this.#evaluate(node))
      else {
        named[parameter] = this.#evaluate(node)
        parameter = undefined
      }
    }
    return { positional, named }
  }

  /** A function sees the variables of its caller, and sets its own. */
  #call(definition: Node, values: readonly Value[]): Value {
    const parameters = definition.descendantsOfType('script_parameter')
    const scope = new Map(
      parameters.map((parameter, index) => {
        const value = values[index] ?? null
        const name = parameter.namedChildren.at(-1)!.text.toLowerCase()
        return [name, parameter.text.startsWith('[string]') ? requireText(value ?? '') : value]
      }),
    )
    this.#scopes.push(scope)
    const written = this.#capture(() => {
      try {
        this.#run(definition.namedChildren.at(-1)!)
      } catch (signal) {
        if (!(signal instanceof Return)) throw signal
      }
    })
    this.#scopes.pop()
    return written.length > 1 ? written : (written[0] ?? null)
  }

  #capture(run: () => void): Value[] {
    const outer = this.output
    this.output = []
    run()
    const written = this.output
    this.output = outer
    return written
  }

  #look(variable: string): Value {
    const name = variable.toLowerCase()
    const constants: Readonly<Record<string, Value>> = { $true: true, $false: false, $null: null }
    if (name in constants) return constants[name]
    const scope = this.#scopes.findLast((candidate) => candidate.has(name))
    if (!scope) throw new Error(`${variable} is not set`)
    return scope.get(name)
  }

  #assign(variable: string, value: Value): undefined {
    this.#scopes.at(-1)!.set(variable.toLowerCase(), value ?? null)
  }
}

function callOnText(text: string, name: string, values: readonly Value[]): string {
  if (name === 'Replace') return text.replaceAll(requireText(values[0]), requireText(values[1]))
  if (name === 'Substring') return text.substring(Number(values[0]), Number(values[0]) + Number(values[1]))
  throw new Error(`there is no method ${name} of text`)
}
