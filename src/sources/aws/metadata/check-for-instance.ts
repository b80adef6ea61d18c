import { join } from 'node:path'
import { readStatus, readText } from '../../../runtime/disk.ts'
import type { Environment } from '../../../runtime/environment.ts'

/**
 * Whether this machine may be an EC2 instance. A request for instance metadata costs seconds on each call where there is none,
 * so it is sent only where there may be some.
 */
export async function checkForInstance(env: Environment, platform: NodeJS.Platform): Promise<boolean> {
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return false
  if (env.AWS_EC2_METADATA_SERVICE_ENDPOINT) return true
  if (platform === 'win32') return hasLaunchAgent(env)
  if (platform !== 'linux') return false
  const vendorName = await readText('/sys/class/dmi/id/sys_vendor').catch(() => '') // the file is absent in a container
  return vendorName.includes('Amazon')
}

/**
 * EC2Launch v2, EC2Launch and EC2Config: one of them is on every Windows image of AWS, at the place that AWS documents. On
 * Windows no file says who made the machine. AWS's command line and agents for other machines are in other folders.
 */
async function hasLaunchAgent(env: Environment): Promise<boolean> {
  const programs = env.ProgramFiles || 'C:\\Program Files'
  const settings = env.ProgramData || 'C:\\ProgramData'
  const folders = [
    join(programs, 'Amazon', 'EC2Launch'),
    join(settings, 'Amazon', 'EC2-Windows', 'Launch'),
    join(programs, 'Amazon', 'Ec2ConfigService'),
  ]
  const found = await Promise.all(folders.map((path) => readStatus(path).catch(() => undefined)))
  return found.some((status) => status?.isDirectory())
}
