import { parseAst } from 'vitest/node'
import type { SourceFile } from './source-files.ts'

/** A node of a syntax tree, with what the rules ask of it. */
export interface SyntaxNode {
  readonly type: string
  readonly name?: string
  readonly id?: SyntaxNode
  readonly init?: SyntaxNode
  readonly async?: boolean
  readonly await?: boolean
  readonly kind?: string
  readonly computed?: boolean
  readonly method?: boolean
  readonly params?: readonly SyntaxNode[]
  readonly body?: SyntaxNode | readonly SyntaxNode[]
  readonly left?: SyntaxNode
  readonly argument?: SyntaxNode
  readonly arguments?: readonly SyntaxNode[]
  readonly operator?: string
  readonly callee?: SyntaxNode
  readonly tag?: SyntaxNode
  readonly object?: SyntaxNode
  readonly property?: SyntaxNode
  readonly expression?: SyntaxNode
  readonly key?: SyntaxNode
  readonly value?: SyntaxNode
  readonly returnType?: SyntaxNode
  readonly typeAnnotation?: SyntaxNode
  readonly typeName?: SyntaxNode
}

/** A function with the name under which a file declares it, keeps it in a constant, or gives it to a class or an object. */
export interface NamedFunction {
  readonly name: string
  /** The type of the node that names it. */
  readonly declared: string
  readonly made: SyntaxNode & { readonly body: SyntaxNode; readonly params: readonly SyntaxNode[] }
}

/** Parses every node of a file. A file is parsed once for all rules, because that takes longer than they do. */
export function parseNodes(file: Pick<SourceFile, 'path' | 'text'>): readonly SyntaxNode[] {
  const known = parsed.get(file)
  if (known) return known
  const { path, text } = file
  const nodes = listNodes(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as SyntaxNode)
  parsed.set(file, nodes)
  return nodes
}

const parsed = new WeakMap<object, readonly SyntaxNode[]>()

/** Lists a node and every one below it; `own` leaves out the functions below it. */
export function listNodes(node: SyntaxNode, which: 'all' | 'own' = 'all'): SyntaxNode[] {
  const found = [node]
  for (const value of Object.values(node) as unknown[])
    for (const inner of Array.isArray(value) ? value : [value])
      if (typeof inner?.type === 'string' && !(which === 'own' && isFunction(inner)))
        for (const below of listNodes(inner, which)) found.push(below)
  return found
}

/** Lists the functions among nodes that have a name. */
export function listNamed(nodes: readonly SyntaxNode[]): NamedFunction[] {
  return nodes.flatMap((node) => {
    const [key, made] =
      node.type === 'VariableDeclarator' ? [node.id, node.init] : node.key ? [node.key, node.value] : [node.id, node]
    if (!key?.name || !made?.body || !isFunction(made)) return []
    return [{ name: key.name, declared: node.type, made: made as NamedFunction['made'] }]
  })
}

/** Finds the variable whose inside an expression names. */
export function findRoot(node: SyntaxNode): string | undefined {
  const inner = node.object ?? node.expression
  return inner ? findRoot(inner) : node.name
}

/** Returns the first word of a name. */
export function toFirstWord(name: string): string {
  return /^[a-z0-9]+/.exec(name)?.[0] ?? ''
}

function isFunction({ type }: SyntaxNode): boolean {
  return /^(ArrowFunctionExpression|Function(Declaration|Expression))$/.test(type)
}
