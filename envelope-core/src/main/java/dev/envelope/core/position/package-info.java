/**
 * Where a partition goes on when it is assigned: {@code PositionFinder} asks both servers, {@code
 * PositionJudge} decides between what they say, {@code Introduction} records what was never read.
 * It runs in the background; nothing here touches the client that polls.
 *
 * <p>A partition goes on at the lower of checkpoint and commit, unless the log, the topic's id or
 * an operator's commit say that a person has to decide. Our commits carry a stamp that tells them
 * from an operator's. Commits are read before checkpoints: as each commit of ours follows its
 * checkpoint, what another instance does meanwhile can't look like a commit that the database knows
 * nothing of.
 */
@NullMarked
package dev.envelope.core.position;

import org.jspecify.annotations.NullMarked;
