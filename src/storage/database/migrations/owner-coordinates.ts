// [coordinator] Where owners are, which they may tell and take back.
import { statementsMigration } from '../statements-migration.ts';

export const ownerCoordinates = statementsMigration([
  `alter table members
    add column latitude double precision check (latitude between -90 and 90),
    add column longitude double precision check (longitude between -180 and 180),
    add constraint members_coordinates_check check ((latitude is null) = (longitude is null))`,
]);
