import { createRequire } from 'node:module'
import { Language, type Node, Parser } from 'web-tree-sitter'

const { resolve } = createRequire(import.meta.url)

/** Parses PowerShell with the grammar that editors use; a script that does not follow it fails the test, with its place. */
export async function openScriptParser(): Promise<(script: string) => Node> {
  await Parser.init()
  const parser = new Parser()
  parser.setLanguage(await Language.load(resolve('tree-sitter-powershell/tree-sitter-powershell.wasm')))
  return (script) => {
    const { rootNode } = parser.parse(script)!
    const broken = findBroken(rootNode)
    if (broken) throw new Error(`line ${broken.startPosition.row + 1} is no PowerShell: ${broken.text.slice(0, 60)}`)
    return rootNode
  }
}

function findBroken(node: Node): Node | undefined {
  if (!node.hasError) return undefined
  if (node.isError || node.isMissing) return node
  return node.children.map(findBroken).find((found) => found !== undefined) ?? node
}
