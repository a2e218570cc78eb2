// Every command of `f3` by its name, in the order of the help: those of owners, of operators, of whoever runs a coordinator or an entity, and
// of this machine.
import type { Command } from 'commander';

export const COMMANDS: Record<string, () => Promise<Command>> = {
  data: async () => (await import('./data/data.ts')).dataCommand(),
  owner: async () => (await import('./owner/owner.ts')).ownerCommand(),
  bundle: async () => (await import('./bundle/bundle.ts')).bundleCommand(),
  federation: async () => (await import('./federation/federation.ts')).federationCommand(),
  token: async () => (await import('./token/token.ts')).tokenCommand(),
  key: async () => (await import('./key/key.ts')).keyCommand(),
  fuse: async () => (await import('./fuse/fuse.ts')).fuseCommand(),
  model: async () => (await import('./model/model.ts')).modelCommand(),
  predict: async () => (await import('./fuse/predict.ts')).predictCommand(),
  evaluate: async () => (await import('./fuse/evaluate.ts')).evaluateCommand(),
  serve: async () => (await import('./server/serve.ts')).serveCommand(),
  dashboard: async () => (await import('./dashboard/dashboard.ts')).dashboardCommand(),
  worker: async () => (await import('./server/worker.ts')).workerCommand(),
  entity: async () => (await import('./entity/entity.ts')).entityCommand(),
  backup: async () => (await import('./server/backup.ts')).backupCommand(),
  restore: async () => (await import('./server/restore.ts')).restoreCommand(),
  pseudonyms: async () => (await import('./pseudonyms/pseudonyms.ts')).pseudonymsCommand(),
  login: async () => (await import('./profile/login.ts')).loginCommand(),
  logout: async () => (await import('./profile/logout.ts')).logoutCommand(),
  profiles: async () => (await import('./profile/profiles.ts')).profilesCommand(),
  completion: async () => (await import('./completion/completion.ts')).completionCommand(),
  demo: async () => (await import('./demo/demo.ts')).demoCommand(),
  reproduce: async () => (await import('./reproduce/reproduce.ts')).reproduceCommand(),
  'demo-owner': async () => (await import('./demo/demo-owner.ts')).demoOwnerCommand(),
};
