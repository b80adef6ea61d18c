import { exitStatus } from '../../../src/runtime/failure.ts'
import { oldestNode } from './oldest-node.ts'

/** If an older Node runs a bundle, prints which Node it needs, and sets the exit status. */
export function checkRuntime(program: string): 'refused' | 'new enough' {
  const oldest = oldestNode.replace('node', '')
  if (!isOlder(process.versions.node, oldest)) return 'new enough'
  process.stderr.write(
    `${program}: it needs Node ${oldest} or newer, and this is ${process.versions.node}\n` +
      `${program}: hint: run it with a newer Node, or install the executable, which has its own\n`,
  )
  process.exitCode = exitStatus['not-configured']
  return 'refused'
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = than.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
