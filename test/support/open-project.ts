// A TypeScript project as its own compiler sees it: for tests about names and about what code says.
import { API, type Project } from 'typescript/unstable/sync';

/** Opens the project of a `tsconfig.json`, hands it to `use` and closes it, whatever happens. */
export function withProject<T>(config: string, use: (project: Project) => T): T {
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`${config}: must be a project`);
    return use(project);
  } finally {
    api.close();
  }
}
